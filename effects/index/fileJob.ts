import { chunkFile } from "../../src/index/chunkFile.ts";
import { decode } from "../../src/index/decode.ts";
import { languageOf } from "../../src/index/languages.ts";
import { isGeneratedText, isLfsPointer, isMinified } from "../../src/index/skip.ts";
import { embeddingText, searchTokens } from "../../src/index/tokens.ts";
import type { Chunk, Skipped } from "../../src/index/types.ts";
import { builtinEmbedding } from "./builtinEmbedder.ts";
import { withSyntax } from "./parser.ts";

export interface FileInput {
  readonly path: string;
  readonly oid: string;
  readonly content: Uint8Array;
}

/** A chunk with everything the table holds but its vector. */
export interface PreparedChunk extends Chunk {
  readonly oid: string;
  readonly fts: string;
}

/** What becomes of some files; plain data, so that it crosses threads. */
export interface Prepared {
  readonly chunks: ReadonlyArray<PreparedChunk>;
  readonly skipped: ReadonlyArray<Skipped>;
  /** One vector a chunk, one after the other; null when the embedder is not the built-in one. */
  readonly vectors: Float32Array | null;
}

const skipReason = (text: string): string | null => {
  if (text.trim() === "") return "empty";
  if (isLfsPointer(text)) return "git-lfs pointer";
  return isGeneratedText(text) ? "generated" : null;
};

/** A file without a tree, or one whose tree the parser cannot make, is cut by its text alone. */
const chunksOf = async (path: string, text: string): Promise<Chunk[]> => {
  const { name: lang, grammar } = languageOf(path);
  const cut = (syntax: Parameters<typeof chunkFile>[0]["syntax"]) => chunkFile({ path, text, lang, syntax });
  if (isMinified(path, text)) return cut(null);
  return withSyntax(grammar, text, cut).catch(() => cut(null));
};

const prepareFile = async (file: FileInput): Promise<{ chunks: PreparedChunk[]; skipped: Skipped | null }> => {
  const decoded = decode(file.content);
  const reason = "skip" in decoded ? decoded.skip : skipReason(decoded.text);
  if (reason !== null || "skip" in decoded)
    return { chunks: [], skipped: { path: file.path, reason: reason ?? "unknown encoding" } };
  const chunks = await chunksOf(file.path, decoded.text);
  return {
    chunks: chunks.map((chunk) => ({ ...chunk, oid: file.oid, fts: searchTokens(chunk) })),
    skipped: null,
  };
};

/** Decodes, cuts, tokenises and (with the built-in embedder) embeds files. The work of one worker message. */
export const prepareFiles = async (job: {
  readonly files: ReadonlyArray<FileInput>;
  readonly embed: boolean;
}): Promise<Prepared> => {
  const chunks: PreparedChunk[] = [];
  const skipped: Skipped[] = [];
  for (const file of job.files) {
    const one = await prepareFile(file);
    for (const chunk of one.chunks) chunks.push(chunk);
    if (one.skipped !== null) skipped.push(one.skipped);
  }
  if (!job.embed) return { chunks, skipped, vectors: null };
  const embedding = await builtinEmbedding();
  const vectors: Float32Array[] = chunks.map((chunk) => embedding(embeddingText(chunk)));
  const dim = vectors[0]?.length ?? 0;
  const joined = new Float32Array(dim * vectors.length);
  vectors.forEach((vector, row) => {
    joined.set(vector, row * dim);
  });
  return { chunks, skipped, vectors: joined };
};
