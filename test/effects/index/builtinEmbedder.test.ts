import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { builtinEmbedding } from "../../../effects/index/builtinEmbedder.ts";
import { tokensOf } from "../../../src/index/tokens.ts";

const references = JSON.parse(readFileSync("fixtures/embedder/reference-vectors.json", "utf8")) as ReadonlyArray<{
  text: string;
  tokens: string[];
  vector: number[];
}>;

it.each(references)("gives the reference tokens and vector of $text", async ({ text, tokens, vector }) => {
  expect(tokensOf(text)).toEqual(tokens);
  const got = (await builtinEmbedding())(text);
  expect(got).toHaveLength(256);
  vector.forEach((value, i) => {
    expect(Math.abs(value - (got[i] ?? Number.NaN))).toBeLessThan(1e-5);
  });
});

it("is the zero vector for a text without tokens, and depends on the bag of tokens alone", async () => {
  const embed = await builtinEmbedding();
  expect(embed("… 、!").every((value) => value === 0)).toBe(true);
  expect(embed("alpha beta gamma qzxv")).toEqual(embed("qzxv gamma beta alpha"));
});
