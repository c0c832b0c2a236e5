import { join } from "node:path";
import * as Effect from "effect/Effect";
import { expect, it } from "vitest";
import { CodeIndex, layer } from "../../../effects/index/CodeIndex.ts";
import { evaluateIndex } from "../../../effects/index/evaluate.ts";
import { memoryTree, temporaryFolder } from "./memoryTree.ts";

it("finds the files of commits from their subjects, leaving out commits of files the index does not hold", async () => {
  const dir = join(temporaryFolder(), "code-index");
  const tree = memoryTree({
    "src/cart.ts": "export function addToCart(item) { return item; }\n",
    "src/login.ts": "export function checkPassword(user) { return user.password; }\n",
    "src/mail.ts": "export function sendMail(to) { return smtp(to); }\n",
  });
  const commits = [
    { subject: "fix: check the password of a user", files: ["src/login.ts"] },
    { subject: "add items to the cart", files: ["src/cart.ts", "gone.ts"] },
    { subject: "remove old things", files: ["gone.ts"] },
  ];
  const result = await Effect.runPromise(
    Effect.provide(
      Effect.gen(function* () {
        const index = yield* CodeIndex;
        yield* index.build({ dir, ...tree, headSha: "a", indexOptions: { maxFileKb: 1024, exclude: [] } });
        return yield* evaluateIndex({ dir, commits });
      }),
      layer({ provider: "builtin", model: null, ollamaHost: null, cacheDir: temporaryFolder() }),
    ),
  );
  expect(result.commits).toBe(2);
  for (const mode of ["hybrid", "vector", "text"] as const)
    expect(result[mode]).toEqual({ queries: 2, mrr: 1, recall_at_10: 1 });
});

it("weighs no file down for what it is for: tests of a commit are wanted as much as its source", async () => {
  const dir = join(temporaryFolder(), "code-index");
  const filler = ["mail", "login", "search", "stock", "invoice", "address"];
  const tree = memoryTree({
    ...Object.fromEntries(filler.map((name) => [`src/${name}.ts`, `export function ${name}() { return 1; }\n`])),
    "src/cartTotals.ts": "export function cartTotals(cart) { return cart.totals; }\n",
    "test/cartTotals.test.ts": "export function cartTotalsAreRounded(cart) { return round(cart.totals); }\n",
  });
  const commits = [{ subject: "round cart totals", files: ["test/cartTotals.test.ts"] }];
  const result = await Effect.runPromise(
    Effect.provide(
      Effect.gen(function* () {
        const index = yield* CodeIndex;
        yield* index.build({ dir, ...tree, headSha: "a", indexOptions: { maxFileKb: 1024, exclude: [] } });
        return yield* evaluateIndex({ dir, commits });
      }),
      layer({ provider: "builtin", model: null, ollamaHost: null, cacheDir: temporaryFolder() }),
    ),
  );
  expect(result.text.mrr).toBe(1);
  expect(result.hybrid.mrr).toBe(1);
});
