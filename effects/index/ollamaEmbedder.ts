import * as Effect from "effect/Effect";
import * as Schedule from "effect/Schedule";
import type { Ollama } from "ollama";
import type { Embedder, EmbedderIdentity } from "./Embedder.ts";
import { makeEmbeddingCache } from "./EmbeddingCache.ts";
import { type EmbedFailed, embedFailed, EmbedFailed as Failed } from "./errors.ts";

export interface OllamaOptions {
  /** Default nomic-embed-text. */
  readonly model: string | null;
  /** Default http://127.0.0.1:11434. */
  readonly host: string | null;
  readonly cacheDir: string;
  /** Texts a request, 8 to 16: larger batches are slower and worse in several reports (facts 1.4). */
  readonly batch?: number;
  readonly maxCacheBytes?: number;
}

const defaultModel = "nomic-embed-text";
const maxCharacters = 4000;
const leastCharacters = 64;
const requestMs = 120_000;
const prefixes = { document: "search_document: ", query: "search_query: " } as const;
/** Part of the cache key: raised when prefixes, cap or the text's shape change. */
const textVersion = 1;

const isJson = (text: string): boolean => {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
};

/** Error bodies that are not JSON make the client print to stdout, which belongs to `--json`. */
const quietFetch: typeof fetch = async (input, init) => {
  const response = await fetch(input, { ...init, signal: AbortSignal.timeout(requestMs) });
  if (response.ok) return response;
  const text = await response.text();
  const body = isJson(text) ? text : JSON.stringify({ error: text.slice(0, 300) || response.statusText });
  return new Response(body, { status: response.status, headers: { "content-type": "application/json" } });
};

const statusOf = (error: unknown): number | undefined => {
  const status = (error as { readonly status_code?: unknown } | null)?.status_code;
  return typeof status === "number" ? status : undefined;
};

class RequestFailed {
  readonly status: number | undefined;
  readonly cause: unknown;
  constructor(cause: unknown) {
    this.cause = cause;
    this.status = statusOf(cause);
  }
  /** Answers of 4xx will not change; a server that is starting or busy may. */
  get mayPass(): boolean {
    return this.status === undefined || this.status >= 500 || this.status === 429;
  }
}

const retries = Schedule.intersect(Schedule.recurs(2), Schedule.exponential("200 millis"));

const request = <A>(call: () => Promise<A>): Effect.Effect<A, RequestFailed> =>
  Effect.retry(Effect.tryPromise({ try: call, catch: (cause) => new RequestFailed(cause) }), {
    schedule: retries,
    while: (error) => error.mayPass,
  });

const unit = (values: ReadonlyArray<number>): Float32Array => {
  const length = Math.sqrt(values.reduce((sum, value) => sum + value * value, 0));
  return Float32Array.from(values, (value) => (length === 0 ? 0 : value / length));
};

/** Every vector's length and finiteness: a short or NaN vector would break the table much later. */
const checked = (
  embeddings: unknown,
  expected: { readonly count: number; readonly dim: number | null },
): Effect.Effect<ReadonlyArray<Float32Array>, EmbedFailed> => {
  if (!Array.isArray(embeddings) || embeddings.length !== expected.count)
    return Effect.fail(
      embedFailed(
        `Ollama gave ${Array.isArray(embeddings) ? embeddings.length : "no"} vectors for ${expected.count} texts`,
      ),
    );
  const dim = expected.dim ?? (embeddings[0] as ReadonlyArray<number> | undefined)?.length ?? 0;
  for (const vector of embeddings as ReadonlyArray<unknown>) {
    if (!Array.isArray(vector) || vector.length !== dim || dim === 0)
      return Effect.fail(
        embedFailed(
          `Ollama gave a vector of ${Array.isArray(vector) ? vector.length : "no"} values where ${dim} were expected`,
        ),
      );
    if (!vector.every((value) => typeof value === "number" && Number.isFinite(value)))
      return Effect.fail(embedFailed("Ollama gave a vector with values that are not finite numbers"));
  }
  return Effect.succeed((embeddings as ReadonlyArray<ReadonlyArray<number>>).map(unit));
};

const explain =
  (model: string, host: string) =>
  (error: RequestFailed): EmbedFailed => {
    if (error.status === 404)
      return new Failed({
        message: `Ollama has no model ${model}`,
        hint: `run: ollama pull ${model}`,
        cause: error.cause,
      });
    if (error.status === undefined)
      return new Failed({
        message: `Ollama does not answer at ${host}`,
        hint: "start it (ollama serve), set embed.ollama_host, or set embed.provider to builtin",
        cause: error.cause,
      });
    return embedFailed(`Ollama answered ${error.status}`, error.cause);
  };

interface Session {
  readonly client: Ollama;
  readonly model: string;
  readonly fail: (error: RequestFailed) => EmbedFailed;
}

const ask = (session: Session, texts: ReadonlyArray<string>, dim: number | null) =>
  Effect.flatMap(
    request(() =>
      session.client.embed({ model: session.model, input: [...texts], truncate: true, options: { num_ctx: 8192 } }),
    ),
    ({ embeddings }) => checked(embeddings, { count: texts.length, dim }),
  );

/** Too long for the model (400): the batch one by one, then the text by halves; `truncate` is ignored by several versions. */
const embedBatch = (
  session: Session,
  texts: ReadonlyArray<string>,
  dim: number | null,
): Effect.Effect<ReadonlyArray<Float32Array>, EmbedFailed> =>
  Effect.catchAll(ask(session, texts, dim), (error) => {
    if (error instanceof Failed) return Effect.fail(error);
    const [only] = texts;
    if (error.status !== 400 || only === undefined) return Effect.fail(session.fail(error));
    if (texts.length > 1)
      return Effect.map(
        Effect.forEach(texts, (text) => embedBatch(session, [text], dim)),
        (vectors) => vectors.flat(),
      );
    if (only.length <= leastCharacters) return Effect.fail(session.fail(error));
    return embedBatch(session, [only.slice(0, Math.ceil(only.length / 2))], dim);
  });

const prefixed = (kind: keyof typeof prefixes, text: string): string =>
  `${prefixes[kind]}${text}`.slice(0, maxCharacters);

const findModel = (session: Session) =>
  Effect.flatMap(
    Effect.mapError(
      request(() => session.client.list()),
      session.fail,
    ),
    ({ models }) => {
      const names = [session.model, `${session.model}:latest`];
      const found = models.find(({ name }) => names.includes(name));
      return found === undefined
        ? Effect.fail(
            new Failed({ message: `Ollama has no model ${session.model}`, hint: `run: ollama pull ${session.model}` }),
          )
        : Effect.succeed(found.digest.replace(/^sha256:/, "").slice(0, 12));
    },
  );

/** Embeds through an Ollama server, with vectors of known texts taken from the cache. The client is loaded at first use. */
export const makeOllamaEmbedder = (options: OllamaOptions): Embedder => {
  const model = options.model ?? defaultModel;
  const host = options.host ?? "http://127.0.0.1:11434";
  const batchSize = Math.max(1, Math.min(16, options.batch ?? 8));
  const connect: Effect.Effect<Session, EmbedFailed> = Effect.tryPromise({
    try: async () => {
      const { Ollama } = await import("ollama");
      return { client: new Ollama({ host, fetch: quietFetch }), model, fail: explain(model, host) };
    },
    catch: (cause) => embedFailed("the Ollama client could not be loaded", cause),
  });
  const start = Effect.gen(function* () {
    const session = yield* connect;
    const digest = yield* findModel(session);
    const probe = yield* embedBatch(session, [prefixed("query", "dimension")], null);
    const identity: EmbedderIdentity = { provider: "ollama", model: `${model}@${digest}`, dim: probe[0]?.length ?? 0 };
    const cache = makeEmbeddingCache({
      root: options.cacheDir,
      embedderId: JSON.stringify([identity, prefixes, maxCharacters, textVersion]),
      dim: identity.dim,
      ...(options.maxCacheBytes === undefined ? {} : { maxBytes: options.maxCacheBytes }),
    });
    return { session, identity, cache };
  });
  let known: Effect.Effect.Success<typeof start> | null = null;
  // A failed start is tried again by the next call: the server may be up by then.
  const started = Effect.suspend(() =>
    known === null
      ? Effect.tap(start, (result) => {
          known = result;
          return Effect.void;
        })
      : Effect.succeed(known),
  );
  const embedMissing = (texts: ReadonlyArray<string>) =>
    Effect.gen(function* () {
      const { session, identity, cache } = yield* started;
      const fresh: Float32Array[] = [];
      for (let at = 0; at < texts.length; at += batchSize) {
        const some = texts.slice(at, at + batchSize);
        fresh.push(...(yield* embedBatch(session, some, identity.dim)));
      }
      const entries = fresh.map((vector, i) => ({ text: texts[i] ?? "", vector }));
      yield* Effect.mapError(cache.put(entries), (error) =>
        embedFailed("the embedding cache cannot be written", error),
      );
      return fresh;
    });
  return {
    identity: Effect.map(started, ({ identity }) => identity),
    inChunker: false,
    documents: (bare) =>
      Effect.gen(function* () {
        const { identity, cache } = yield* started;
        const texts = bare.map((text) => prefixed("document", text));
        const cached = yield* cache.get(texts);
        const missing = [...new Set(texts.filter((_, i) => cached[i] === null))];
        const fresh = yield* embedMissing(missing);
        const byText = new Map(missing.map((text, i) => [text, fresh[i]]));
        const out = new Float32Array(texts.length * identity.dim);
        texts.forEach((text, i) => {
          out.set(cached[i] ?? byText.get(text) ?? [], i * identity.dim);
        });
        return out;
      }),
    query: (text) =>
      Effect.flatMap(started, ({ session, identity }) =>
        Effect.map(
          embedBatch(session, [prefixed("query", text)], identity.dim),
          ([vector]) => vector ?? new Float32Array(identity.dim),
        ),
      ),
  };
};
