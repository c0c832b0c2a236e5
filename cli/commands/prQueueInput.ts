import * as Effect from "effect/Effect";
import { knownGitHubHosts } from "../../effects/github/apiHosts.ts";
import { Log } from "../../effects/log/Log.ts";
import { claimOwner } from "../../effects/queue/owner.ts";
import { Settings } from "../../effects/settings/Settings.ts";
import { QueueStore } from "../../effects/store/QueueStore.ts";
import { NotFound, type UsageError } from "../../src/errors.ts";
import { findPr, formerlyNamed, type PrNaming, parsePr, parsePrList } from "../../src/pr/parsePr.ts";
import type { PrReference } from "../../src/pr/prUrl.ts";
import type { QueueFile, QueueRow } from "../../src/queue/row.ts";
import type { VerbInput } from "../verb.ts";

const given = (value: string | undefined): string | undefined => (value === "" ? undefined : value);

/** How this call's words name a PR: core.yaml's defaults, `--repo` and `--pr`. */
const naming = (input: VerbInput): Effect.Effect<PrNaming, never, Settings> =>
  Effect.map(Settings, ({ config }) => {
    const repo = input.flags.flag("repo");
    const pr = input.flags.flag("pr");
    return {
      defaultRepo: config.defaults.repo,
      defaultPlatform: config.defaults.platform,
      githubHosts: knownGitHubHosts({ env: input.env, githubHosts: config.github.hosts }),
      ...(repo === undefined ? {} : { repo }),
      ...(pr === undefined ? {} : { pr }),
    };
  });

/** The one PR that words and flags name. */
export const onePr = (
  input: VerbInput,
  words: ReadonlyArray<string> = input.args,
): Effect.Effect<PrReference, UsageError, Settings> =>
  Effect.flatMap(naming(input), (options) => parsePr(words, options));

/** The PRs that words and flags name, each once. */
export const severalPrs = (input: VerbInput): Effect.Effect<ReadonlyArray<PrReference>, UsageError, Settings> =>
  Effect.flatMap(naming(input), (options) => parsePrList(input.args, options));

/** Said where a person named a row by the address that it had before its repository was renamed. */
const nowCalled = (row: QueueRow, pr: PrReference) =>
  Effect.flatMap(Log, (log) => log.warn(`${pr.pr_url} is ${row.pr_url} now: its repository was renamed`));

/**
 * The row that a reference means, under the present name of its repository or an older one, which is said. NotFound
 * (exit 1) when the queue has none, or when several had that name.
 */
export const rowOf = (queue: QueueFile, pr: PrReference): Effect.Effect<QueueRow, NotFound, Log> => {
  const row = findPr(queue.prs, pr);
  if (row !== null) return Effect.succeed(row);
  const [former, ...others] = formerlyNamed(queue.prs, pr);
  if (former !== undefined && others.length === 0) return Effect.as(nowCalled(former, pr), former);
  if (former !== undefined)
    return Effect.fail(
      new NotFound({
        message: `${pr.pr_url} was the name of ${others.length + 1} rows whose repositories were renamed`,
        hint: `name one of them: ${[former, ...others].map(({ pr_url }) => pr_url).join(", ")}`,
      }),
    );
  return Effect.fail(
    new NotFound({
      message: `${pr.pr_url} is not in the queue`,
      hint:
        pr.platform === "local"
          ? "add it with: adk pr-queue add --local PATH --head BRANCH"
          : `add it with: adk pr-queue add ${pr.pr_url}`,
    }),
  );
};

/** The row that this call's words name, as the queue has it now. */
export const namedRow = (input: VerbInput, words: ReadonlyArray<string> = input.args) =>
  Effect.gen(function* () {
    const pr = yield* onePr(input, words);
    const store = yield* QueueStore;
    return yield* rowOf(yield* store.read, pr);
  });

/** Who calls a claim verb: the driver's identity, and run id and token from flags or environment. */
export const claimCaller = (input: VerbInput) =>
  Effect.gen(function* () {
    const { config } = yield* Settings;
    const owner = yield* claimOwner(input.env);
    return {
      owner,
      proof: {
        run_id: given(input.flags.flag("run-id")) ?? given(input.env.ADK_RUN_ID),
        token: given(input.flags.flag("token")) ?? given(input.env.ADK_CLAIM_TOKEN),
      },
      maxAgeSeconds: config.taken_lock_max_age_seconds,
    };
  });
