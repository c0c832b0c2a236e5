import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as Effect from "effect/Effect";
import * as Layer from "effect/Layer";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { workLayer } from "../../../cli/layers/work.ts";
import { layer as homeLayer } from "../../../effects/home/Home.ts";
import { silent } from "../../../effects/log/Log.ts";
import { PullRequests } from "../../../effects/platform/PullRequests.ts";
import { addRepository } from "../../../effects/repos/addRepository.ts";
import { Repos } from "../../../effects/repos/Repos.ts";
import { layerTest } from "../../../effects/settings/Settings.ts";
import { RepoBuilder } from "../../../fixtures/repos/RepoBuilder.ts";

let folder = "";
beforeAll(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), "adk-repos-")));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe("a local repository", () => {
  it.each([
    { name: "shop.git", bare: true },
    { name: "our shop (old)", bare: false },
    { name: "plain", bare: false },
  ])("in the folder $name is the repository that its change requests belong to", async ({ name, bare }) => {
    const builder = new RepoBuilder(join(folder, name), { bare });
    builder.commit({ message: "Begin", files: { "a.ts": "export const a = 1;\n" } });
    builder.commit({ branch: "change", from: "main", message: "Change", files: { "a.ts": "export const a = 2;\n" } });
    const program = Effect.gen(function* () {
      const added = yield* addRepository({ source: builder.dir });
      const change = yield* (yield* PullRequests).resolveLocal({ path: builder.dir, head: "change", base: "main" });
      const repos = yield* Repos;
      return { added, found: yield* repos.byIdentity(change) };
    });
    const home = homeLayer({ env: { ADK_DATA_HOME: join(folder, "data") } });
    const layers = Layer.provideMerge(workLayer({}), Layer.mergeAll(home, silent, layerTest()));
    const { added, found } = await Effect.runPromise(Effect.provide(program, Layer.orDie(layers)));
    expect(found).toEqual(added);
  });
});
