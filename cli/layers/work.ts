import { join } from "node:path";
import * as Effect from "effect/Effect";
import * as Layer from "effect/Layer";
import { layer as gitLayer } from "../../effects/git/Git.ts";
import { Home } from "../../effects/home/Home.ts";
import { layer as codeIndexLayer } from "../../effects/index/CodeIndex.ts";
import { layer as hostLimitsLayer } from "../../effects/network/HostLimits.ts";
import { layer as pullRequestsLayer } from "../../effects/platform/PullRequests.ts";
import { Settings } from "../../effects/settings/Settings.ts";
import { layer as slackLayer } from "../../effects/slack/Slack.ts";
import { UsageError } from "../../src/errors.ts";
import { queueEngineLayer } from "./queueEngine.ts";

/**
 * The code index under the present settings, with another model of the configured provider when one is named. Nothing
 * native is loaded before its first call.
 */
const indexLayerWith = (model: string | undefined) =>
  Layer.unwrapEffect(
    Effect.gen(function* () {
      const { config } = yield* Settings;
      const home = yield* Home;
      if (model !== undefined && config.embed.provider === "builtin") {
        return yield* new UsageError({
          message: "the built-in embedder has one model",
          hint: "leave --embed-model out, or choose a provider with models: adk config set embed.provider ollama",
        });
      }
      return codeIndexLayer({
        provider: config.embed.provider,
        model: model ?? config.embed.model,
        ollamaHost: config.embed.ollama_host,
        cacheDir: join(home.cache, "embeddings"),
      });
    }),
  );

export const indexLayer = indexLayerWith(undefined);

/** Everything that preparing PRs and building bases takes. */
export const workLayer = (env: NodeJS.ProcessEnv, options: { readonly model?: string | undefined } = {}) =>
  Layer.unwrapEffect(
    Effect.map(Settings, ({ config }) => pullRequestsLayer({ env, githubHosts: config.github.hosts })),
  ).pipe(
    Layer.merge(slackLayer({ env })),
    Layer.provideMerge(hostLimitsLayer),
    Layer.provideMerge(gitLayer),
    Layer.provideMerge(indexLayerWith(options.model)),
    Layer.provideMerge(queueEngineLayer),
  );

/** Searching an index that a base or a prepared PR has. */
export const searchLayer = Layer.provideMerge(indexLayer, queueEngineLayer);
