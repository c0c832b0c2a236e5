import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { chapters } from "./scenario/chapters.ts";
import { killedBy } from "./scenario/killedBy.ts";
import { mutable, mutantName, transitionsOf } from "./scenario/mutants.ts";
import { type BuiltCli, buildCli } from "./support/buildCli.ts";

const sample = ["prep/pending/START/0", "base/missing/BUILD/0", "sync/remind/PHASE_DONE/0"];
const mutants = transitionsOf().filter((one) => process.env.ADK_TEST_LONG === "1" || sample.includes(mutantName(one)));

let cli: BuiltCli;
beforeAll(async () => {
  cli = await buildCli(mutable);
});
afterAll(() => cli.remove());

describe("a machine that lacks one transition", () => {
  it("is no mutant when none is named: the same build passes", { timeout: 300_000 }, async () => {
    const chapter = chapters.find((one) => one.name === "a base that is built");
    await expect(chapter?.run(cli.program)).resolves.toBeDefined();
  });

  it.each(mutants.map((one) => [mutantName(one), one] as const))(
    "is noticed: %s",
    { timeout: 300_000 },
    async (_name, mutant) => {
      expect(await killedBy(mutant, cli.program)).not.toBeNull();
    },
  );
});
