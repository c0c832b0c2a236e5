import type { ArgSpec, FlagSpec, VerbSpec } from "../verb.ts";

const target: ReadonlyArray<FlagSpec> = [
  { name: "pr", type: "string", value: "PR", describe: "index of this prepared PR" },
  { name: "repo", type: "string", value: "NAME", describe: "index of a base of this repository" },
  { name: "branch", type: "string", value: "X", describe: "base branch (with --repo; default: the default branch)" },
];

const limit: FlagSpec = {
  name: "limit",
  short: "k",
  type: "integer",
  value: "N",
  min: 1,
  describe: "most hits to print (default: 10)",
};
const glob: FlagSpec = { name: "glob", type: "string", value: "G", describe: "only files whose path matches" };
const nameArgument: ArgSpec = {
  name: "NAME",
  describe: "name of a function, class or other symbol",
  required: true,
  multiple: false,
};

export const codeIndexVerbs: ReadonlyArray<VerbSpec> = [
  {
    path: ["index", "query"],
    summary: "Find the code that a text is about",
    args: [{ name: "TEXT", describe: "words, a question or code", required: true, multiple: true }],
    flags: [
      ...target,
      limit,
      {
        name: "mode",
        type: "string",
        value: "MODE",
        choices: ["hybrid", "vector", "text"],
        describe: "how to search (default: hybrid)",
      },
      glob,
    ],
    examples: [
      'adk index query "where is the cart total rounded" --repo storefront-bff',
      "adk index query retry --pr acme/storefront-bff#1234 --mode text -k 5 --json",
    ],
    load: () => import("../commands/indexQuery.ts"),
  },
  {
    path: ["index", "symbol"],
    summary: "Find where a symbol is defined",
    args: [nameArgument],
    flags: [...target, limit, glob],
    examples: ["adk index symbol roundTotal --pr acme/storefront-bff#1234"],
    load: () => import("../commands/indexSymbol.ts"),
  },
  {
    path: ["index", "callers"],
    summary: "Find where a symbol is used",
    args: [nameArgument],
    flags: [...target, limit, glob],
    examples: ["adk index callers roundTotal --repo storefront-bff --branch main"],
    load: () => import("../commands/indexCallers.ts"),
  },
  {
    path: ["index", "health"],
    summary: "Check that an index is whole and current",
    args: [],
    flags: target,
    examples: ["adk index health --repo storefront-bff --json"],
    load: () => import("../commands/indexHealth.ts"),
  },
  {
    path: ["index", "eval"],
    summary: "Measure how well the index finds the files of the repository's own commits",
    args: [],
    flags: [
      ...target,
      { name: "n", short: "n", type: "integer", value: "N", min: 1, describe: "commits to try (default: 100)" },
    ],
    examples: ["adk index eval --repo storefront-bff -n 50"],
    load: () => import("../commands/indexEval.ts"),
  },
];
