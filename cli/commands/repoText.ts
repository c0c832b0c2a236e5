import type { BaseOutcome } from "../../effects/bases/runBase.ts";
import { counted } from "../../src/text/counted.ts";

export type NamedOutcome = BaseOutcome & { readonly branch: string };

/** Results of base builds as the `--json` documents of the repo verbs carry them. */
export const baseResults = (results: ReadonlyArray<NamedOutcome>) =>
  results.map((result) =>
    result.outcome === "built"
      ? {
          branch: result.branch,
          status: "built",
          sha: result.built.sha,
          chunks: result.built.chunks,
          embedded: result.built.embedded,
        }
      : { branch: result.branch, status: "failed", error: result.error },
  );

/** The same for people, a line each. */
export const baseLines = (results: ReadonlyArray<NamedOutcome>): string =>
  results
    .map((result) =>
      result.outcome === "built"
        ? `  ${result.branch}: ${counted(result.built.chunks, "chunk")} at ${result.built.sha.slice(0, 12)}, ${result.built.embedded} embedded`
        : `  ${result.branch}: failed: ${result.error}`,
    )
    .join("\n");
