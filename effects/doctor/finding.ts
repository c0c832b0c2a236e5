import type * as Context from "effect/Context";
import type * as Effect from "effect/Effect";
import type * as Either from "effect/Either";
import type { Config } from "../../src/config/config.ts";
import type { Failure } from "../../src/errors.ts";
import type { QueueFile } from "../../src/queue/row.ts";
import type { SlackChannel, SlackIdentity } from "../../src/slack/types.ts";
import type { Place } from "../bitbucket/Bitbucket.ts";
import type { SlackSettings } from "../connectors/slackSettings.ts";
import type { RateLimit } from "../github/GitHub.ts";
import type { Home } from "../home/Home.ts";
import type { Log } from "../log/Log.ts";
import type { LimitState } from "../network/HostLimits.ts";
import type { SlackFailure } from "../slack/errors.ts";

/** What one look at one thing found (spec 3, document of `doctor`). */
export interface Finding {
  readonly name: string;
  readonly status: "pass" | "warn" | "fail";
  readonly detail: string;
  /** The command or step that mends it; empty when there is nothing to mend. */
  readonly fix: string;
}

/** What the checks work with. Git and the queue come as effects, so that one that fails is a finding like any other. */
export interface DoctorInput {
  readonly home: Context.Tag.Service<Home>;
  readonly config: Config;
  readonly configPath: string;
  readonly env: NodeJS.ProcessEnv;
  readonly log: Context.Tag.Service<Log>;
  readonly strict: boolean;
  readonly fix: boolean;
  readonly gitVersion: Effect.Effect<string, Failure>;
  readonly queue: Effect.Effect<QueueFile, Failure>;
  /** Names of task folders that belong to no row. */
  readonly orphans: Effect.Effect<ReadonlyArray<string>, Failure>;
  readonly lockMechanism: Effect.Effect<string, Failure>;
  /** What GitHub says of the token's limit, for one host. */
  readonly githubLimit: (host: string) => Effect.Effect<RateLimit, Failure>;
  /** Proves Bitbucket's token by reading the PRs of a repository, or its own account; returns what was read. */
  readonly bitbucketAccess: (place: Place | null) => Effect.Effect<string, Failure>;
  /** What all processes know of the hosts' limits. */
  readonly limits: Effect.Effect<ReadonlyArray<LimitState>, Failure>;
  /** `slack.*` with connectors/slack.md, and what does not count of that file. */
  readonly slackSettings: Effect.Effect<SlackSettings, Failure>;
  readonly slackIdentity: Effect.Effect<SlackIdentity, Failure>;
  /** Configured channels (connectors/slack.md too), each with its outcome. */
  readonly slackChannels: Effect.Effect<ReadonlyMap<string, Either.Either<SlackChannel, SlackFailure>>, Failure>;
}

/** A check never fails: what goes wrong while looking is a finding too. */
export interface Check {
  readonly name: string;
  readonly run: (input: DoctorInput) => Effect.Effect<ReadonlyArray<Finding>, Failure>;
}

export const pass = (name: string, detail: string): Finding => ({ name, status: "pass", detail, fix: "" });

export const warn = (name: string, detail: string, fix: string): Finding => ({ name, status: "warn", detail, fix });

export const fail = (name: string, detail: string, fix: string): Finding => ({ name, status: "fail", detail, fix });

/** `3 files`, `1 file`. */
export const count = (n: number, word: string): string => `${n} ${word}${n === 1 ? "" : "s"}`;

/** Megabytes with one digit after the point. */
export const megabytes = (bytes: number): string => `${(bytes / 1_000_000).toFixed(1)} MB`;
