import { createServer, type IncomingMessage, type ServerResponse } from "node:http";

export interface FakeBitbucketComment {
  readonly id: number;
  readonly user: string | null;
  readonly raw: string;
  readonly parent?: number;
  readonly deleted?: boolean;
  readonly inline?: { readonly path: string; readonly from?: number | null; readonly to?: number | null };
  readonly resolved?: boolean;
}

export interface FakeBitbucketPull {
  readonly id: number;
  readonly title: string;
  readonly author: string;
  readonly state: "OPEN" | "MERGED" | "DECLINED" | "SUPERSEDED";
  readonly draft?: boolean;
  /** `repository`: `workspace/repo` of a fork; the repository itself when left out; null when the fork was deleted. */
  readonly source: { readonly branch: string; readonly sha: string; readonly repository?: string | null };
  readonly destination: { readonly branch: string; readonly sha: string };
  /** True where the host shows the PR and no longer its commits. */
  readonly hidesCommits?: boolean;
  readonly updatedOn?: string;
  readonly files?: number;
  readonly comments?: ReadonlyArray<FakeBitbucketComment>;
  readonly approvedBy?: ReadonlyArray<string>;
}

export interface FakeBitbucketState {
  readonly repositories: ReadonlyArray<{
    readonly fullName: string;
    readonly uuid: string;
    readonly isPrivate?: boolean;
    readonly pulls: ReadonlyArray<FakeBitbucketPull>;
    readonly statuses?: ReadonlyArray<{ readonly sha: string; readonly name: string; readonly state: string }>;
  }>;
  /** `Bearer …` or `Basic …` that the host accepts. */
  readonly authorizations: ReadonlyArray<string>;
  /** Scopes of one of them; all that is asked for when left out. `repository` lets it read no pull requests. */
  readonly scopes?: Readonly<Record<string, ReadonlyArray<"account" | "repository" | "pullrequest">>>;
}

export type BitbucketMisbehaviour =
  | {
      readonly kind: "status";
      readonly status: number;
      readonly body: string;
      readonly headers?: Readonly<Record<string, string>>;
    }
  | { readonly kind: "drop" };

export interface FakeBitbucket {
  /** Value of BITBUCKET_API_URL. */
  readonly url: string;
  readonly ledger: ReadonlyArray<{ readonly method: string; readonly path: string; readonly status: number | null }>;
  readonly violations: ReadonlyArray<string>;
  readonly writes: () => ReadonlyArray<unknown>;
  readonly setState: (state: FakeBitbucketState) => void;
  readonly behave: (does: BitbucketMisbehaviour, times?: number) => void;
  /** Nothing that `behave` asked for holds any more. */
  readonly calm: () => void;
  readonly close: () => Promise<void>;
}

type Repository = FakeBitbucketState["repositories"][number];
type Body = Readonly<Record<string, unknown>>;

const account = (name: string): Body => ({
  type: "user",
  display_name: name,
  nickname: name,
  account_id: `557058:${name}`,
  uuid: `{user-${name}}`,
});

const side = (state: FakeBitbucketState, name: string | null, at: { branch: string; sha: string }): Body => {
  const repository = state.repositories.find(({ fullName }) => fullName === name);
  return {
    branch: { name: at.branch },
    // Twelve characters, as the host gives them here.
    commit: { type: "commit", hash: at.sha.slice(0, 12) },
    repository:
      name === null
        ? null
        : { type: "repository", full_name: name, name: name.split("/")[1], uuid: repository?.uuid ?? "{fork}" },
  };
};

const pullJson = (state: FakeBitbucketState, repository: Repository, pull: FakeBitbucketPull): Body => ({
  type: "pullrequest",
  id: pull.id,
  title: pull.title,
  description: "",
  state: pull.state,
  draft: pull.draft ?? false,
  author: account(pull.author),
  created_on: "2026-01-05T08:00:00.000000+00:00",
  updated_on: pull.updatedOn ?? "2026-01-06T08:00:00.123456+00:00",
  source: side(state, pull.source.repository === undefined ? repository.fullName : pull.source.repository, pull.source),
  destination: side(state, repository.fullName, pull.destination),
  participants: (pull.approvedBy ?? []).map((name) => ({
    type: "participant",
    user: account(name),
    role: "REVIEWER",
    approved: true,
    state: "approved",
    participated_on: "2026-01-06T09:00:00+00:00",
  })),
});

const commentJson = (comment: FakeBitbucketComment): Body => ({
  type: "pullrequest_comment",
  id: comment.id,
  user: comment.user === null ? null : account(comment.user),
  content: { raw: comment.deleted ? "" : comment.raw, markup: "markdown" },
  created_on: "2026-01-06T08:30:00+00:00",
  deleted: comment.deleted ?? false,
  ...(comment.parent === undefined ? {} : { parent: { id: comment.parent } }),
  ...(comment.inline === undefined ? {} : { inline: comment.inline }),
  ...(comment.resolved ? { resolution: { type: "comment_resolution", user: account("mara") } } : {}),
  links: { html: { href: `https://bitbucket.org/comments/${comment.id}` } },
});

class Host {
  readonly ledger: Array<{ readonly method: string; readonly path: string; readonly status: number | null }> = [];
  readonly violations: string[] = [];
  readonly behaviours: Array<{ readonly does: BitbucketMisbehaviour; left: number }> = [];
  state: FakeBitbucketState;
  url = "";

  constructor(state: FakeBitbucketState) {
    this.state = state;
  }

  #page(url: URL, items: ReadonlyArray<Body>, most: number): Body {
    const pagelen = Math.min(Number(url.searchParams.get("pagelen") ?? 10), most);
    const page = Number(url.searchParams.get("page") ?? 1);
    const next = new URL(url);
    next.searchParams.set("page", String(page + 1));
    const more = page * pagelen < items.length;
    return {
      pagelen,
      page,
      size: items.length,
      values: items.slice((page - 1) * pagelen, page * pagelen),
      ...(more ? { next: next.href } : {}),
    };
  }

  answer(url: URL, authorization: string | undefined): { readonly status: number; readonly body: Body } {
    const missing = { status: 404, body: { type: "error", error: { message: "Resource not found" } } };
    if (authorization !== undefined && !this.state.authorizations.includes(authorization))
      return {
        status: 401,
        body: { type: "error", error: { message: "Token is invalid or not supported for this endpoint." } },
      };
    const required =
      url.pathname === "/2.0/user" ? "account" : url.pathname.includes("/pullrequests") ? "pullrequest" : "repository";
    const granted = this.state.scopes?.[authorization ?? ""];
    if (granted !== undefined && !granted.includes(required))
      return {
        status: 403,
        body: {
          type: "error",
          error: {
            message: "Your credentials lack one or more required privilege scopes.",
            detail: { required: [required], granted },
          },
        },
      };
    if (url.pathname === "/2.0/user")
      return authorization === undefined
        ? { status: 401, body: { type: "error", error: { message: "Authentication required" } } }
        : { status: 200, body: account("mara") };
    for (const name of url.searchParams.keys())
      if (!["pagelen", "page"].includes(name)) this.violations.push(`no parameter ${name}`);
    const found = /^\/2\.0\/repositories\/([^/]+)\/([^/]+)(\/.*)$/.exec(url.pathname);
    const name = `${decodeURIComponent(found?.[1] ?? "")}/${decodeURIComponent(found?.[2] ?? "")}`;
    const repository = this.state.repositories.find(({ fullName }) => fullName.toLowerCase() === name.toLowerCase());
    if (repository === undefined || (repository.isPrivate && authorization === undefined)) return missing;
    const rest = found?.[3] ?? "";
    const commit = /^\/commit\/([0-9a-f]{7,40})(\/statuses)?$/.exec(rest);
    if (commit !== null) {
      const shas = repository.pulls.flatMap((pull) =>
        pull.hidesCommits === true ? [pull.destination.sha] : [pull.source.sha, pull.destination.sha],
      );
      const sha = shas.find((one) => one.startsWith(commit[1] ?? ""));
      if (sha === undefined) return missing;
      if (commit[2] === undefined) return { status: 200, body: { type: "commit", hash: sha } };
      const statuses = (repository.statuses ?? []).filter((one) => one.sha === sha);
      return {
        status: 200,
        body: this.#page(
          url,
          statuses.map((one) => ({
            type: "build",
            key: one.name,
            name: one.name,
            state: one.state,
            url: "https://ci.invalid/1",
          })),
          100,
        ),
      };
    }
    if (rest === "/pullrequests")
      return {
        status: 200,
        body: this.#page(
          url,
          repository.pulls.map((one) => pullJson(this.state, repository, one)),
          50,
        ),
      };
    const asked = /^\/pullrequests\/(\d+)(\/diffstat|\/comments|\/commits)?$/.exec(rest);
    const pull = repository.pulls.find(({ id }) => String(id) === asked?.[1]);
    if (asked === null) this.violations.push(`no such address: ${url.pathname}`);
    if (pull === undefined) return missing;
    if (asked?.[2] === "/diffstat")
      return {
        status: 200,
        body: this.#page(
          url,
          Array.from({ length: pull.files ?? 1 }, (_, n) => ({
            type: "diffstat",
            status: "modified",
            lines_added: 2,
            lines_removed: 1,
            new: { path: `f${n}` },
          })),
          500,
        ),
      };
    if (asked?.[2] === "/commits" && pull.hidesCommits === true) return missing;
    if (asked?.[2] === "/commits")
      return { status: 200, body: this.#page(url, [{ type: "commit", hash: pull.source.sha }], 100) };
    if (asked?.[2] === "/comments")
      return { status: 200, body: this.#page(url, (pull.comments ?? []).map(commentJson), 100) };
    return { status: 200, body: pullJson(this.state, repository, pull) };
  }

  serve(incoming: IncomingMessage, outgoing: ServerResponse): void {
    const url = new URL(incoming.url ?? "/", this.url);
    const note = (status: number | null): void =>
      void this.ledger.push({ method: incoming.method ?? "", path: `${url.pathname}${url.search}`, status });
    if (incoming.method !== "GET") this.violations.push(`${incoming.method} ${url.pathname}`);
    const behaviour = this.behaviours.find(({ left }) => left > 0);
    if (behaviour !== undefined) {
      behaviour.left -= 1;
      if (behaviour.does.kind === "drop") {
        note(null);
        incoming.socket.destroy();
        return;
      }
      note(behaviour.does.status);
      outgoing
        .writeHead(behaviour.does.status, { "content-type": "application/json", ...behaviour.does.headers })
        .end(behaviour.does.body);
      return;
    }
    const { status, body } = this.answer(url, incoming.headers.authorization);
    note(status);
    outgoing.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
  }
}

/** Starts a fake of api.bitbucket.org on loopback. Close it in the test that started it. */
export const startFakeBitbucket = async (options: { readonly state: FakeBitbucketState }): Promise<FakeBitbucket> => {
  const host = new Host(options.state);
  const server = createServer((incoming, outgoing) => host.serve(incoming, outgoing));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  host.url = `http://127.0.0.1:${typeof address === "object" && address !== null ? address.port : 0}`;
  return {
    url: `${host.url}/2.0`,
    ledger: host.ledger,
    violations: host.violations,
    writes: () => host.ledger.filter(({ method }) => method !== "GET"),
    setState: (state) => {
      host.state = state;
    },
    calm: () => {
      host.behaviours.length = 0;
    },
    behave: (does, times = 1) => host.behaviours.push({ does, left: times }),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
};
