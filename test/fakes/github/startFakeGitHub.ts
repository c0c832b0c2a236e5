import { createHash } from "node:crypto";
import { EventEmitter, once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { type Behaviour, type Misbehaviour, misbehaviours } from "./behaviours.ts";
import { answerGraphQl } from "./graphQl.ts";
import { githubOpenApi, type SeenRequest } from "./openApi.ts";
import { describedPath, routes } from "./routes.ts";
import type { Json } from "./schemas.ts";
import type { FakeGitHubState } from "./state.ts";

/** One request and what became of it. `status` is null when nothing was answered. */
export interface LedgerEntry extends SeenRequest {
  readonly operation: string | null;
  readonly status: number | null;
}

export interface FakeGitHub {
  /** `http://127.0.0.1:<port>`: the value of GITHUB_API_URL. */
  readonly url: string;
  readonly ledger: ReadonlyArray<LedgerEntry>;
  /** Requests and answers that GitHub's description does not allow. Tests end with: none. */
  readonly violations: ReadonlyArray<string>;
  /** Replaces the state, as pushes and merges do. */
  readonly setState: (state: FakeGitHubState) => void;
  /** The next requests that fit get this instead. */
  readonly behave: (behaviour: Behaviour) => void;
  /** Nothing that `behave` asked for holds any more. */
  readonly calm: () => void;
  /** Resolves once that many requests have arrived. */
  readonly arrived: (count: number) => Promise<void>;
  readonly close: () => Promise<void>;
}

interface Sent {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
}

const readRequest = async (incoming: IncomingMessage): Promise<SeenRequest> => {
  const url = new URL(incoming.url ?? "/", "http://fake.invalid");
  const chunks: Array<Buffer> = [];
  for await (const chunk of incoming) chunks.push(chunk as Buffer);
  const text = Buffer.concat(chunks).toString("utf8");
  const headers = Object.entries(incoming.headers).map(([name, value]) => [name, String(value)] as const);
  return {
    method: incoming.method ?? "GET",
    pathname: url.pathname,
    query: new Map(url.searchParams),
    headers: Object.fromEntries(headers),
    body: text === "" ? undefined : (JSON.parse(text) as Json),
  };
};

const json = (status: number, body: Json, headers: Readonly<Record<string, string>> = {}): Sent => ({
  status,
  headers: { "content-type": "application/json; charset=utf-8", ...headers },
  body: JSON.stringify(body),
});

/** A fake of api.github.com on loopback that judges every request and its own answers by GitHub's description. */
class Host {
  readonly ledger: Array<LedgerEntry> = [];
  readonly violations: Array<string> = [];
  readonly behaviours: Array<{ readonly behaviour: Behaviour; left: number }> = [];
  readonly arrivals = new EventEmitter();
  state: FakeGitHubState;
  url = "";
  #used = 0;
  #usedAnonymously = 0;
  readonly #reset = Math.floor(Date.now() / 1000) + 3600;

  constructor(state: FakeGitHubState) {
    this.state = state;
  }

  #violation(request: SeenRequest, problems: ReadonlyArray<string>): Sent {
    const line = `${request.method} ${request.pathname}: ${problems.join("; ")}`;
    this.violations.push(line);
    return json(500, { message: `not in GitHub's description: ${line}` });
  }

  #behaviour(operation: string): Misbehaviour | null {
    const found = this.behaviours.find(
      ({ behaviour, left }) => left > 0 && (behaviour.operation ?? operation) === operation,
    );
    if (found === undefined) return null;
    found.left -= 1;
    return found.behaviour.does;
  }

  #count(request: SeenRequest, requests: number): void {
    if (request.headers.authorization === undefined) this.#usedAnonymously += requests;
    else this.#used += requests;
  }

  #usedBy(request: SeenRequest): number {
    return request.headers.authorization === undefined ? this.#usedAnonymously : this.#used;
  }

  /** Requests an hour of whoever asks. */
  #limitOf(request: SeenRequest): number {
    return request.headers.authorization === undefined ? (this.state.anonymousLimit ?? 5000) : 5000;
  }

  #conditional(request: SeenRequest, status: number, body: Json): Sent {
    this.#count(request, request.pathname === "/rate_limit" ? 0 : 1);
    const text = JSON.stringify(body);
    const etag = `W/"${createHash("sha256").update(text).digest("hex")}"`;
    if (status !== 200) return json(status, body);
    if (request.headers["if-none-match"] !== etag) return json(status, body, { etag });
    this.#count(request, -1);
    return { status: 304, headers: { etag }, body: null };
  }

  /** What to send, or null for silence. */
  answer(request: SeenRequest): { readonly operation: string | null; readonly sent: Sent | "hang" | "drop" } {
    if (/^(?:\/api)?\/graphql$/.test(request.pathname)) return this.#graphQl(request);
    const api = githubOpenApi();
    // An Enterprise Server has the same interface below a path of its own.
    const pathname = describedPath(this.state, request.pathname.replace(/^\/api\/v3(?=\/)/, ""));
    const operation = api.operation(request.method, pathname);
    if (operation === null) return { operation: null, sent: this.#violation(request, ["unknown operation"]) };
    const refused = (problems: ReadonlyArray<string>) => ({
      operation: operation.id,
      sent: this.#violation(request, problems),
    });
    const problems = api.requestProblems(operation, request);
    if (problems.length > 0) return refused(problems);
    const does = this.#behaviour(operation.id) ?? this.#route(operation.id, operation.parameters, request);
    if (does === null) return refused([`the fake has no ${operation.id}`]);
    if (does.kind === "hang" || does.kind === "drop") return { operation: operation.id, sent: does.kind };
    const headers = this.#limitHeaders(does.headers, request);
    if (does.kind === "raw")
      return { operation: operation.id, sent: { status: does.status, headers, body: does.body } };
    const wrong = api.answerProblems(operation, does.status, does.body);
    if (wrong.length > 0) return refused(wrong);
    const sent = this.#conditional(request, does.status, does.body ?? null);
    return {
      operation: operation.id,
      sent: { ...sent, headers: { ...this.#limitHeaders(does.headers, request), ...sent.headers } },
    };
  }

  #graphQl(request: SeenRequest): { readonly operation: string; readonly sent: Sent | "hang" | "drop" } {
    const operation = "graphql";
    const does = this.#behaviour(operation);
    if (does !== null) {
      if (does.kind === "hang" || does.kind === "drop") return { operation, sent: does.kind };
      const body = does.kind === "raw" ? does.body : JSON.stringify(does.body ?? null);
      const headers = { "content-type": "application/json; charset=utf-8", ...this.#limitHeaders(does.headers) };
      return { operation, sent: { status: does.status, headers, body } };
    }
    const given = /^(?:token|bearer) (.+)$/i.exec(request.headers.authorization ?? "")?.[1];
    const token = this.state.tokens.find((known) => known.token === given);
    if (token === undefined)
      return {
        operation,
        sent: json(401, {
          message: given === undefined ? "This endpoint requires you to be authenticated." : "Bad credentials",
        }),
      };
    const { query, variables } = (request.body ?? {}) as {
      readonly query?: string;
      readonly variables?: Readonly<Record<string, unknown>>;
    };
    this.#used += 1;
    const call = { state: this.state, token, limit: { used: this.#used, reset: this.#reset } };
    const answer = answerGraphQl(call, { query: query ?? "", variables: variables ?? {} });
    if (request.method !== "POST") return { operation, sent: this.#violation(request, ["GraphQL is asked by POST"]) };
    if (answer.problems.length > 0) return { operation, sent: this.#violation(request, answer.problems) };
    return { operation, sent: json(200, answer.body as Json, this.#limitHeaders()) };
  }

  #limitHeaders(own: Readonly<Record<string, string>> = {}, by?: SeenRequest): Readonly<Record<string, string>> {
    const most = by === undefined ? 5000 : this.#limitOf(by);
    const used = by === undefined ? this.#used : this.#usedBy(by);
    return {
      "x-ratelimit-limit": String(most),
      "x-ratelimit-remaining": String(Math.max(0, most - used)),
      "x-ratelimit-reset": String(this.#reset),
      ...own,
    };
  }

  #route(operation: string, parameters: Readonly<Record<string, string>>, request: SeenRequest): Misbehaviour | null {
    const given = /^(?:token|bearer) (.+)$/i.exec(request.headers.authorization ?? "")?.[1];
    const token = this.state.tokens.find((known) => known.token === given) ?? null;
    if (given !== undefined && token === null)
      return { kind: "answer", status: 401, body: { message: "Bad credentials" } };
    const route = routes[operation];
    const limit = { used: this.#usedBy(request), reset: this.#reset, most: this.#limitOf(request) };
    if (operation !== "rate-limit/get" && limit.used >= limit.most)
      return misbehaviours.rateLimitSpent({ status: 403, resetAt: limit.reset });
    return route === undefined ? null : route({ base: this.url, state: this.state, parameters, token, limit });
  }

  async serve(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const request = await readRequest(incoming);
    const { operation, sent } = this.answer(request);
    this.ledger.push({ ...request, operation, status: typeof sent === "string" ? null : sent.status });
    this.arrivals.emit("request");
    if (sent === "hang") return;
    if (sent === "drop") {
      incoming.socket.destroy();
      return;
    }
    outgoing.writeHead(sent.status, sent.headers);
    outgoing.end(sent.body);
  }
}

/** Starts the fake on a free port of 127.0.0.1. Close it in the test that started it. */
export const startFakeGitHub = async (options: { readonly state: FakeGitHubState }): Promise<FakeGitHub> => {
  const host = new Host(options.state);
  const server = createServer((incoming, outgoing) => {
    host.serve(incoming, outgoing).catch((error: unknown) => {
      host.violations.push(`${incoming.method} ${incoming.url}: ${String(error)}`);
      outgoing.writeHead(500).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  host.url = `http://127.0.0.1:${typeof address === "object" && address !== null ? address.port : 0}`;
  return {
    url: host.url,
    ledger: host.ledger,
    violations: host.violations,
    setState: (state) => {
      host.state = state;
    },
    behave: (behaviour) => host.behaviours.push({ behaviour, left: behaviour.times ?? 1 }),
    calm: () => {
      host.behaviours.length = 0;
    },
    arrived: async (count) => {
      while (host.ledger.length < count) await once(host.arrivals, "request");
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
};
