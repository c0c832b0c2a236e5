import { failure } from "../../src/errors.ts";

/** No index in a folder. */
export class IndexMissing extends failure("IndexMissing", 1)<{ readonly dir: string }> {}

/** An index that cannot be read, or whose last change was interrupted. */
export class IndexBroken extends failure("IndexBroken", 1)<{ readonly dir: string }> {}

/** An index made by another provider, model, dimension, chunker or with other index options: never mixed with ours. */
export class IndexForeign extends failure("IndexForeign", 1)<{ readonly dir: string; readonly reason: string }> {}

/** The embedder gave no usable vectors. */
export class EmbedFailed extends failure("EmbedFailed", 1) {}

/** Files of an index could not be written, linked or renamed. */
export class IndexWriteFailed extends failure("IndexWriteFailed", 1)<{ readonly dir: string }> {}

/** LanceDB's native code needs AVX2 and would kill the process on this processor. */
export class UnsupportedCpu extends failure("UnsupportedCpu", 1) {}

export type IndexError = IndexMissing | IndexBroken | IndexForeign | EmbedFailed | IndexWriteFailed | UnsupportedCpu;

const causeText = (cause: unknown): string =>
  (cause instanceof Error ? cause.message : String(cause)).split("\n")[0]?.slice(0, 300) ?? "";

export const indexMissing = (dir: string): IndexMissing =>
  new IndexMissing({
    dir,
    message: `there is no code index in ${dir}`,
    hint: "build one: adk repo rebuild-index NAME, or adk pr-task prepare PR",
  });

export const indexBroken = (dir: string, what: string, cause?: unknown): IndexBroken =>
  new IndexBroken({
    dir,
    message: `the code index in ${dir} is broken: ${what}${cause === undefined ? "" : ` (${causeText(cause)})`}`,
    hint: "rebuild it: adk repo rebuild-index NAME, or adk pr-task prepare PR --rebuild",
    cause,
  });

export const indexForeign = (dir: string, reason: string): IndexForeign =>
  new IndexForeign({
    dir,
    reason,
    message: `the code index in ${dir} ${reason}`,
    hint: "rebuild it with the present settings: adk repo rebuild-index NAME",
  });

export const embedFailed = (what: string, cause?: unknown): EmbedFailed =>
  new EmbedFailed({
    message: `embedding failed: ${what}${cause === undefined ? "" : ` (${causeText(cause)})`}`,
    hint: "check the embedder with adk doctor, or set embed.provider to builtin",
    cause,
  });

export const writeFailed = (dir: string, cause: unknown): IndexWriteFailed =>
  new IndexWriteFailed({
    dir,
    message: `cannot write the code index in ${dir}: ${causeText(cause)}`,
    hint: "free disk space or fix the folder's permissions, then run the command again",
    cause,
  });
