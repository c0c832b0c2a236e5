import { rm } from "node:fs/promises";
import * as Clock from "effect/Clock";
import * as Effect from "effect/Effect";
import { formatTime } from "../../src/time.ts";
import { Engine } from "../engine/Engine.ts";
import { Home } from "../home/Home.ts";
import { branchDir, codeIndexDir } from "../home/layout.ts";
import { Repos } from "../repos/Repos.ts";

/**
 * Takes an auto base through `expired` and `deleting` to nothing, from whatever state a killed run left it in: the index
 * goes first, then the state, then the folder, so that no crash leaves a base that says it is there and is not.
 * The caller holds the base's lock.
 */
export const deleteAutoBase = (where: { readonly repo: string; readonly branch: string }) =>
  Effect.gen(function* () {
    const engine = yield* Engine;
    const repos = yield* Repos;
    const home = yield* Home;
    for (;;) {
      const base = yield* repos.base(where.repo, where.branch);
      if (base === null || base.state === "missing") break;
      const at = formatTime(yield* Clock.currentTimeMillis);
      if (base.state === "building" || base.state === "refreshing")
        yield* engine.base(where, { type: "INTERRUPTED", at });
      else if (base.state === "expired") yield* engine.base(where, { type: "DELETE", at });
      else if (base.state !== "deleting") yield* engine.base(where, { type: "EXPIRE", at });
      else {
        const index = codeIndexDir(branchDir(home, where.repo, where.branch));
        yield* Effect.promise(() => rm(index, { recursive: true, force: true }));
        const command = base.actor?.pending.find(
          (pending) => pending.name === "deleteBase" || pending.name === "cmd.deleteBase",
        );
        yield* engine.base(where, { type: "DELETED", command: command?.id ?? "", at });
      }
    }
    yield* repos.removeBaseFolder(where.repo, where.branch);
  });
