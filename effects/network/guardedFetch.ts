/** What went over the wire, for the log (spec 2, "Logs"). `status` is null when no answer came. */
export interface NetworkCall {
  readonly method: string;
  readonly url: string;
  readonly status: number | null;
  readonly ms: number;
  readonly rate_limit_left: number | null;
}

/** Why an answer was not read: it is larger than the bound, or it points to another host. */
export class AnswerRefused extends Error {
  override readonly name = "AnswerRefused";
}

interface CachedAnswer {
  readonly etag: string;
  readonly body: string;
  readonly headers: Headers;
}

/** Answers of one host by URL, for conditional requests: an unchanged PR costs no rate limit. */
export type AnswerCache = Map<string, CachedAnswer>;

export interface FetchOptions {
  readonly origin: string;
  readonly timeoutMs: number;
  readonly maxBytes: number;
  readonly cache: AnswerCache;
  /** Every request with the headers of its answer; null when none came. */
  readonly observe: (call: NetworkCall, headers: Headers | null) => void;
}

const maxRedirects = 3;
const maxCached = 300;
const maxCachedBytes = 256 * 1024;

/** A URL for the log: query values that may be secrets are masked. */
const loggedUrl = (url: URL): string => {
  const shown = new URL(url);
  shown.username = "";
  shown.password = "";
  shown.hash = "";
  for (const name of [...shown.searchParams.keys()])
    if (/token|secret|key|sig|code|password/i.test(name)) shown.searchParams.set(name, "***");
  return shown.href;
};

const rateLimitLeft = (headers: Headers): number | null => {
  const left = headers.get("x-ratelimit-remaining");
  return left !== null && /^\d{1,9}$/.test(left) ? Number(left) : null;
};

const readBody = async (answer: Response, maxBytes: number): Promise<string> => {
  if (answer.body === null) return "";
  const chunks: Array<Uint8Array> = [];
  let size = 0;
  for await (const chunk of answer.body as unknown as AsyncIterable<Uint8Array>) {
    size += chunk.byteLength;
    if (size > maxBytes) throw new AnswerRefused(`an answer of more than ${Math.floor(maxBytes / 1024)} KB`);
    chunks.push(chunk);
  }
  return new TextDecoder().decode(Buffer.concat(chunks));
};

const once = async (url: URL, init: RequestInit, options: FetchOptions) => {
  const started = performance.now();
  const call = (status: number | null, left: number | null): NetworkCall => ({
    method: init.method ?? "GET",
    url: loggedUrl(url),
    status,
    ms: Math.round(performance.now() - started),
    rate_limit_left: left,
  });
  try {
    const answer = await fetch(url, { ...init, redirect: "manual" });
    const body = await readBody(answer, options.maxBytes);
    options.observe(call(answer.status, rateLimitLeft(answer.headers)), answer.headers);
    return { status: answer.status, headers: answer.headers, body };
  } catch (error) {
    options.observe(call(null, null), null);
    throw error;
  }
};

type Answer = Awaited<ReturnType<typeof once>>;

/** The next address of a redirect, or null when the answer is none. Only the same origin is followed. */
const redirectTarget = (answer: Answer, from: URL, options: FetchOptions): URL | null => {
  const location = answer.headers.get("location");
  if (![301, 302, 307, 308].includes(answer.status) || location === null) return null;
  const target = URL.canParse(location, from.href) ? new URL(location, from.href) : null;
  if (target === null || target.origin !== options.origin || target.username !== "" || target.password !== "")
    throw new AnswerRefused("a redirect to another host");
  return target;
};

const remember = (key: string, answer: Answer, cache: AnswerCache): void => {
  const etag = answer.headers.get("etag");
  if (answer.status !== 200 || etag === null || answer.body.length > maxCachedBytes) return;
  const oldest = cache.keys().next();
  if (cache.size >= maxCached && !oldest.done) cache.delete(oldest.value);
  cache.set(key, { etag, body: answer.body, headers: answer.headers });
};

const toResponse = (answer: Answer): Response => {
  const headers = new Headers(answer.headers);
  // The body is decoded already; these describe the bytes on the wire.
  headers.delete("content-encoding");
  headers.delete("content-length");
  const hasBody = ![204, 205, 304].includes(answer.status);
  return new Response(hasBody ? answer.body : null, { status: answer.status, headers });
};

/**
 * The `fetch` that a host's client is given: one time limit and one size limit per request, redirects of reads followed on the
 * same origin only (a renamed repository), conditional requests by ETag, and a record of every request. Rejects with
 * AnswerRefused, or as fetch does.
 */
export const guardedFetch =
  (options: FetchOptions) =>
  async (input: string | URL | Request, init: RequestInit = {}): Promise<Response> => {
    const limit = AbortSignal.timeout(options.timeoutMs);
    const signal = init.signal ? AbortSignal.any([init.signal, limit]) : limit;
    const isRead = (init.method ?? "GET") === "GET";
    let url = new URL(typeof input === "string" || input instanceof URL ? input : input.url);
    const key = url.href;
    const cached = isRead ? options.cache.get(key) : undefined;
    const headers = new Headers(init.headers);
    if (cached !== undefined) headers.set("if-none-match", cached.etag);
    for (let hop = 0; hop <= maxRedirects; hop += 1) {
      const answer = await once(url, { ...init, headers, signal }, options);
      if (answer.status === 304 && cached !== undefined)
        return toResponse({ status: 200, headers: cached.headers, body: cached.body });
      const target = redirectTarget(answer, url, options);
      // Octokit takes any status below 400 for success: a redirected write would look done.
      if (target !== null && !isRead) throw new AnswerRefused("a redirect of a write");
      if (target === null) {
        if (isRead) remember(key, answer, options.cache);
        return toResponse(answer);
      }
      url = target;
    }
    throw new AnswerRefused("too many redirects");
  };
