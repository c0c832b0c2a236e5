import { describe, expect, it } from "vitest";
import { sharedByTests, testsByName } from "../../../src/precis/relatedTests.ts";

describe("tests of a change", () => {
  it("are found by name in the same folder or its mirror", () => {
    expect(testsByName(["src/a/money.ts", "test/a/money.test.ts", "test/b/money.test.ts"], ["src/a/money.ts"])).toEqual(
      ["test/a/money.test.ts"],
    );
  });

  it("bring the cases and helpers that they import, not what they test", () => {
    const tree = [
      "src/router/trie.ts",
      "src/router/common.case.test.ts",
      "test/support/world.ts",
      "test/support/index.ts",
      "src/router/trie/router.test.ts",
    ];
    const text = [
      "import { TrieRouter } from '../trie'",
      "import { runTest } from '../common.case.test'",
      'import { World } from "../../../test/support/world.js";',
      'const { all } = await import("../../../test/support");',
      'import { describe } from "vitest";',
    ].join("\n");
    expect(sharedByTests(tree, [{ path: "src/router/trie/router.test.ts", text }])).toEqual([
      "src/router/common.case.test.ts",
      "test/support/world.ts",
      "test/support/index.ts",
    ]);
  });

  it("follow no import that leads out of the tree", () => {
    const text = 'import a from "../../../../etc/passwd";\nimport b from "/etc/passwd";\n';
    expect(sharedByTests(["test/a.test.ts"], [{ path: "test/a.test.ts", text }])).toEqual([]);
  });
});
