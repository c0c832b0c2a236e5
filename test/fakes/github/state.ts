/** What the fake host holds. Plain data, so that a stand-alone fake can read it from a file. */
export interface FakeGitHubState {
  readonly users: ReadonlyArray<FakeUser>;
  readonly repositories: ReadonlyArray<FakeRepository>;
  /** Tokens that the host knows; any other is refused with 401. */
  readonly tokens: ReadonlyArray<FakeToken>;
  /** Requests an hour without a token; 5000 like with one when left out. */
  readonly anonymousLimit?: number;
}

export interface FakeUser {
  readonly login: string;
  readonly id: number;
  readonly type?: "User" | "Bot";
}

export interface FakeToken {
  readonly token: string;
  readonly login: string;
  /** Owners whose single sign-on this token has not passed. */
  readonly ssoMissing?: ReadonlyArray<string>;
}

export interface FakeRepository {
  readonly id: number;
  readonly owner: string;
  readonly name: string;
  readonly isPrivate?: boolean;
  readonly defaultBranch?: string;
  /** `owner/name`s that answer with a redirect to this repository. */
  readonly formerNames?: ReadonlyArray<string>;
  readonly pulls: ReadonlyArray<FakePull>;
  readonly checks?: ReadonlyArray<FakeCheck>;
}

export interface FakeFile {
  readonly path: string;
  readonly status: "added" | "removed" | "modified" | "renamed";
  readonly additions: number;
  readonly deletions: number;
}

export interface FakePull {
  readonly number: number;
  readonly title: string;
  readonly body?: string | null;
  readonly author: string;
  readonly association?: string;
  readonly state: "open" | "closed";
  readonly draft?: boolean;
  readonly mergedAt?: string;
  /** `repo` is `owner/name` of a fork; the repository itself when left out; null when the fork was deleted. */
  readonly head: { readonly ref: string; readonly sha: string; readonly repo?: string | null };
  readonly base: { readonly ref: string; readonly sha: string };
  readonly autoMerge?: boolean;
  readonly inMergeQueue?: boolean;
  readonly reviewDecision?: "APPROVED" | "CHANGES_REQUESTED" | "REVIEW_REQUIRED";
  readonly threads?: ReadonlyArray<FakeThread>;
  readonly comments?: ReadonlyArray<FakeComment>;
  readonly reviews?: ReadonlyArray<FakeReview>;
  readonly files: ReadonlyArray<FakeFile>;
}

export interface FakeComment {
  readonly id: string;
  /** Null when the account is gone. */
  readonly author: string | null;
  readonly body: string;
  readonly createdAt?: string;
}

export interface FakeThread {
  readonly id: string;
  readonly path: string;
  /** Null for an outdated position. */
  readonly line: number | null;
  readonly side?: "LEFT" | "RIGHT";
  readonly resolved?: boolean;
  readonly outdated?: boolean;
  readonly comments: ReadonlyArray<FakeComment>;
}

export interface FakeReview {
  readonly id: string;
  readonly author: string | null;
  readonly state: "APPROVED" | "CHANGES_REQUESTED" | "COMMENTED" | "DISMISSED" | "PENDING";
  readonly sha: string;
  readonly submittedAt?: string;
}

/** A check run or a commit status at one commit. */
export interface FakeCheck {
  readonly sha: string;
  readonly name: string;
  readonly kind: "run" | "status";
  /** For a run `SUCCESS`, `FAILURE`, … or null while it runs; for a status its state. */
  readonly conclusion: string | null;
}

const same = (a: string, b: string): boolean => a.toLowerCase() === b.toLowerCase();

/** Names compare without case, as on the host. */
export const findRepository = (state: FakeGitHubState, owner: string, name: string): FakeRepository | undefined =>
  state.repositories.find((repository) => same(repository.owner, owner) && same(repository.name, name));

export const findFormerName = (state: FakeGitHubState, owner: string, name: string): FakeRepository | undefined =>
  state.repositories.find((repository) => repository.formerNames?.some((former) => same(former, `${owner}/${name}`)));

export const findUser = (state: FakeGitHubState, login: string): FakeUser =>
  state.users.find((user) => same(user.login, login)) ?? { login, id: 0 };
