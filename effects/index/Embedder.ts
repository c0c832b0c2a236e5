import * as Effect from "effect/Effect";
import { builtinEmbedding, builtinModel } from "./builtinEmbedder.ts";
import { type EmbedFailed, embedFailed } from "./errors.ts";

export interface EmbedderIdentity {
  readonly provider: string;
  /** Name of the model, with its digest where the provider has one. */
  readonly model: string;
  readonly dim: number;
}

/** Turns texts into unit vectors of one dimension. */
export interface Embedder {
  /** Asks the provider which model exactly answers; the first call may load or contact it. */
  readonly identity: Effect.Effect<EmbedderIdentity, EmbedFailed>;
  /** True when chunking threads embed by themselves, at no cost worth a cache. */
  readonly inChunker: boolean;
  /** One vector a text, one after the other. */
  readonly documents: (texts: ReadonlyArray<string>) => Effect.Effect<Float32Array, EmbedFailed>;
  readonly query: (text: string) => Effect.Effect<Float32Array, EmbedFailed>;
}

const loaded = Effect.tryPromise({
  try: builtinEmbedding,
  catch: (cause) => embedFailed("the built-in embedder's table cannot be read", cause),
});

export const builtinEmbedder: Embedder = {
  identity: Effect.succeed(builtinModel),
  inChunker: true,
  documents: (texts) =>
    Effect.map(loaded, (embedding) => {
      const out = new Float32Array(texts.length * builtinModel.dim);
      texts.forEach((text, row) => {
        out.set(embedding(text), row * builtinModel.dim);
      });
      return out;
    }),
  query: (text) => Effect.map(loaded, (embedding) => embedding(text)),
};
