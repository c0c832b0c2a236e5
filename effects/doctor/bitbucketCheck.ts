import * as Effect from "effect/Effect";
import * as Either from "effect/Either";
import type { Config } from "../../src/config/config.ts";
import type { Failure } from "../../src/errors.ts";
import { ownerAndRepo } from "../../src/pr/prGrammar.ts";
import type { QueueRow } from "../../src/queue/row.ts";
import { isTerminal } from "../../src/queue/row.ts";
import type { Place } from "../bitbucket/Bitbucket.ts";
import { NotPermitted } from "../platform/errors.ts";
import { type Check, type Finding, fail, pass, warn } from "./finding.ts";

const name = "bitbucket";

/** The repository that the token is most likely for: one of the queue, else the default one. */
const placeOf = (rows: ReadonlyArray<QueueRow>, { defaults }: Config): Place | null => {
  const queued = rows.filter(({ platform }) => platform === "bitbucket");
  const row = queued.find((one) => !isTerminal(one)) ?? queued[0];
  if (row !== undefined) return { owner: row.owner, repo: row.repo };
  return defaults.platform === "bitbucket" ? ownerAndRepo("bitbucket", defaults.repo ?? "") : null;
};

const findingOf = (place: Place | null, answer: Either.Either<string, Failure>): Finding => {
  if (Either.isRight(answer)) return pass(name, `the token is accepted; it reads ${answer.right}`);
  const failure = answer.left;
  if (!(failure instanceof NotPermitted)) return warn(name, failure.message, failure.hint);
  if (place !== null) return fail(name, failure.message, failure.hint);
  if (failure.tokenAccepted === true)
    return pass(name, "the token is accepted; whether it reads pull requests shows once one of Bitbucket is queued");
  // A token of one repository or workspace has no account, and is refused here in the same words as a wrong one.
  return warn(
    name,
    `${failure.message}; or it is the token of one repository or workspace, which cannot be tried before one of its PRs is queued`,
    failure.hint,
  );
};

/** Whether Bitbucket accepts the token and lets it read PRs: one request. Nothing is asked without a token. */
export const bitbucketCheck: Check = {
  name,
  run: ({ env, config, queue, bitbucketAccess }) =>
    Effect.gen(function* () {
      if ((env.BITBUCKET_TOKEN ?? "").trim() === "") return [];
      const read = yield* Effect.either(queue);
      const place = placeOf(Either.isRight(read) ? read.right.prs : [], config);
      return [findingOf(place, yield* Effect.either(bitbucketAccess(place)))];
    }),
};
