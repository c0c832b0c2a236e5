import * as Effect from "effect/Effect";
import * as Layer from "effect/Layer";
import { layer as gitLayer } from "../../effects/git/Git.ts";
import { layer as hostLimitsLayer } from "../../effects/network/HostLimits.ts";
import { layer as pullRequestsLayer } from "../../effects/platform/PullRequests.ts";
import { Settings } from "../../effects/settings/Settings.ts";
import { queueEngineLayer } from "./queueEngine.ts";

/** What verbs need that ask hosts besides changing rows. The host's client itself loads at its first call. */
export const queuePlatformLayer = (env: NodeJS.ProcessEnv) =>
  Layer.unwrapEffect(
    Effect.map(Settings, ({ config }) =>
      pullRequestsLayer({ env, githubHosts: config.github.hosts }).pipe(
        Layer.provideMerge(hostLimitsLayer),
        Layer.provideMerge(gitLayer),
        Layer.provideMerge(queueEngineLayer),
      ),
    ),
  );
