import type * as Context from "effect/Context";
import * as Effect from "effect/Effect";
import * as Layer from "effect/Layer";
import { GitHub, type GitHubOptions, layer } from "../../../effects/github/GitHub.ts";
import { Log } from "../../../effects/log/Log.ts";
import type { PlatformRequest } from "../../../src/pr/prMetadata.ts";
import { liveLimits } from "../../support/liveLimits.ts";

export interface Recorded {
  readonly event: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

/** A log that keeps what it was given. */
export const keepingLog = () => {
  const records: Array<Recorded> = [];
  const secrets: Array<string> = [];
  const service: Context.Tag.Service<Log> = {
    verbose: true,
    step: () => Effect.void,
    warn: () => Effect.void,
    record: (event, fields) => Effect.sync(() => void records.push({ event, fields })),
    redact: (text) => text,
    addSecret: (value) => void secrets.push(value),
    file: null,
  };
  return { records, secrets, layer: Layer.succeed(Log, service) };
};

export const pr = (owner: string, repo: string, pr_number: number, host = "github.com"): PlatformRequest => ({
  platform: "github",
  host,
  owner,
  repo,
  pr_number,
  pr_url: `https://${host}/${owner}/${repo}/pull/${pr_number}`,
});

/** Runs one effect on GitHub's live layer. */
export const onGitHub = <A, E>(
  options: GitHubOptions,
  use: (github: Context.Tag.Service<GitHub>) => Effect.Effect<A, E>,
  log = keepingLog(),
): Promise<A> =>
  Effect.runPromise(
    Effect.provide(
      Effect.flatMap(GitHub, use),
      layer(options).pipe(Layer.provide(log.layer), Layer.provide(liveLimits())),
    ),
  );
