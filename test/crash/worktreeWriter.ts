// Makes worktrees of one clone one after the other: DATA_HOME CLONE SHA FOLDER NAME COUNT. Fails with the first failure.
import { join } from "node:path";
import * as Effect from "effect/Effect";
import * as Layer from "effect/Layer";
import { Git, layer as gitLayer } from "../../effects/git/Git.ts";
import { layer as homeLayer } from "../../effects/home/Home.ts";
import { silent } from "../../effects/log/Log.ts";
import { layer as locksLayer } from "../../effects/store/Locks.ts";

const [, , data = "", clone = "", sha = "", folder = "", name = "", count = "0"] = process.argv;
const home = homeLayer({ env: { ADK_DATA_HOME: data } });
const layer = gitLayer.pipe(Layer.provide([home, silent, locksLayer.pipe(Layer.provide(home))]));
const program = Effect.flatMap(Git, (git) =>
  Effect.forEach(
    Array.from({ length: Number(count) }, (_, index) => join(folder, `${name}-${index + 1}`, "code")),
    (path) => git.addWorktree({ clone, path, sha }),
    { discard: true },
  ),
);
await Effect.runPromise(Effect.provide(program, layer));
