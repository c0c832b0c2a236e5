import { rm } from "node:fs/promises";
import * as Clock from "effect/Clock";
import * as Effect from "effect/Effect";
import { formatTime } from "../../src/time.ts";
import { crashPoint } from "../engine/crashPoint.ts";
import { Engine } from "../engine/Engine.ts";
import { Home } from "../home/Home.ts";
import { branchDir, codeIndexDir } from "../home/layout.ts";
import { Repos } from "../repos/Repos.ts";
import { writeFailed } from "../store/errors.ts";
import { BaseNotDeleted } from "./errors.ts";

/** The index of a base being deleted goes; a disk that refuses is a failure of the machine's, not of the process. */
const removeIndex = (path: string) =>
  Effect.zipRight(
    crashPoint("base.deleting"),
    Effect.tryPromise({
      try: () => rm(path, { recursive: true, force: true }),
      catch: (cause) => writeFailed(path, cause),
    }),
  );

/** From any state to nothing takes at most four steps. */
const maxSteps = 8;

const stuck = (where: { readonly repo: string; readonly branch: string }, state: string) =>
  new BaseNotDeleted({
    ...where,
    message: `base ${where.branch} of ${where.repo} stays ${state} and is not removed`,
    hint: `remove it by name: adk repo branch remove ${where.repo} --branch ${where.branch}`,
  });

/**
 * Takes an auto base through `expired` and `deleting` to nothing, from whatever state a killed run left it in: the index
 * goes first, then the state, then the folder, so that no crash leaves a base that says it is there and is not. An index
 * that cannot be removed leaves the base expired, and fails. The caller holds the base's lock.
 */
export const deleteAutoBase = (where: { readonly repo: string; readonly branch: string }) =>
  Effect.gen(function* () {
    const engine = yield* Engine;
    const repos = yield* Repos;
    const home = yield* Home;
    const now = Effect.map(Clock.currentTimeMillis, formatTime);
    for (let step = 0; ; step += 1) {
      const base = yield* repos.base(where.repo, where.branch);
      if (base === null || base.state === "missing") break;
      if (step === maxSteps) return yield* stuck(where, base.state);
      const at = yield* now;
      const command = base.actor?.pending.find((pending) => pending.name === "cmd.deleteBase")?.id;
      const isCutOff = base.state === "deleting" && command === undefined;
      if (base.state === "building" || base.state === "refreshing" || isCutOff)
        yield* engine.base(where, { type: "INTERRUPTED", at });
      else if (base.state === "expired") {
        yield* crashPoint("base.expired");
        yield* engine.base(where, { type: "DELETE", at });
      } else if (base.state !== "deleting" || command === undefined) yield* engine.base(where, { type: "EXPIRE", at });
      else {
        yield* removeIndex(codeIndexDir(branchDir(home, where.repo, where.branch))).pipe(
          Effect.tapError((error) =>
            Effect.flatMap(now, (time) =>
              engine.base(where, { type: "FAILED", command, error: error.message, at: time }),
            ),
          ),
        );
        yield* engine.base(where, { type: "DELETED", command, at: yield* now });
        yield* crashPoint("base.deleted");
      }
    }
    yield* repos.removeBaseFolder(where.repo, where.branch);
  });
