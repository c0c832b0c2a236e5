import type { Json, JsonObject } from "./schemas.ts";
import {
  type FakeGitHubState,
  type FakePull,
  type FakeRepository,
  type FakeUser,
  findRepository,
  findUser,
} from "./state.ts";

const made = "2026-01-05T08:00:00Z";

/** A user in the form in which other objects carry it. */
export const simpleUser = (base: string, user: FakeUser): JsonObject => {
  const url = `${base}/users/${user.login}`;
  return {
    login: user.login,
    id: user.id,
    node_id: `U_${user.id}`,
    avatar_url: `${base}/avatars/${user.id}`,
    gravatar_id: "",
    url,
    html_url: `https://github.com/${user.login}`,
    followers_url: `${url}/followers`,
    following_url: `${url}/following{/other_user}`,
    gists_url: `${url}/gists{/gist_id}`,
    starred_url: `${url}/starred{/owner}{/repo}`,
    subscriptions_url: `${url}/subscriptions`,
    organizations_url: `${url}/orgs`,
    repos_url: `${url}/repos`,
    events_url: `${url}/events{/privacy}`,
    received_events_url: `${url}/received_events`,
    type: user.type ?? "User",
    site_admin: false,
  };
};

/** `GET /user` for a token's owner. */
export const authenticatedUser = (base: string, user: FakeUser): JsonObject => ({
  ...simpleUser(base, user),
  name: user.login,
  company: null,
  blog: null,
  location: null,
  email: null,
  hireable: null,
  bio: null,
  public_repos: 1,
  public_gists: 0,
  followers: 0,
  following: 0,
  created_at: made,
  updated_at: made,
});

const urlTemplates: Readonly<Record<string, string>> = {
  archive_url: "/{archive_format}{/ref}",
  assignees_url: "/assignees{/user}",
  blobs_url: "/git/blobs{/sha}",
  branches_url: "/branches{/branch}",
  collaborators_url: "/collaborators{/collaborator}",
  comments_url: "/comments{/number}",
  commits_url: "/commits{/sha}",
  compare_url: "/compare/{base}...{head}",
  contents_url: "/contents/{+path}",
  contributors_url: "/contributors",
  deployments_url: "/deployments",
  downloads_url: "/downloads",
  events_url: "/events",
  forks_url: "/forks",
  git_commits_url: "/git/commits{/sha}",
  git_refs_url: "/git/refs{/sha}",
  git_tags_url: "/git/tags{/sha}",
  hooks_url: "/hooks",
  issue_comment_url: "/issues/comments{/number}",
  issue_events_url: "/issues/events{/number}",
  issues_url: "/issues{/number}",
  keys_url: "/keys{/key_id}",
  labels_url: "/labels{/name}",
  languages_url: "/languages",
  merges_url: "/merges",
  milestones_url: "/milestones{/number}",
  notifications_url: "/notifications{?since,all,participating}",
  pulls_url: "/pulls{/number}",
  releases_url: "/releases{/id}",
  stargazers_url: "/stargazers",
  statuses_url: "/statuses/{sha}",
  subscribers_url: "/subscribers",
  subscription_url: "/subscription",
  tags_url: "/tags",
  teams_url: "/teams",
  trees_url: "/git/trees{/sha}",
};

/** A repository in the form in which a pull request carries it. */
export const repositoryAnswer = (base: string, state: FakeGitHubState, repository: FakeRepository): JsonObject => {
  const fullName = `${repository.owner}/${repository.name}`;
  const url = `${base}/repos/${fullName}`;
  const page = `https://github.com/${fullName}`;
  return {
    ...Object.fromEntries(Object.entries(urlTemplates).map(([name, rest]) => [name, `${url}${rest}`])),
    id: repository.id,
    node_id: `R_${repository.id}`,
    name: repository.name,
    full_name: fullName,
    owner: simpleUser(base, findUser(state, repository.owner)),
    private: repository.isPrivate ?? false,
    html_url: page,
    description: null,
    fork: false,
    url,
    clone_url: `${page}.git`,
    git_url: `git://github.com/${fullName}.git`,
    ssh_url: `git@github.com:${fullName}.git`,
    svn_url: page,
    default_branch: repository.defaultBranch ?? "main",
    forks: 0,
    forks_count: 0,
    has_downloads: true,
    has_issues: true,
    has_projects: false,
    has_wiki: false,
    has_pages: false,
    has_discussions: false,
    homepage: null,
    language: null,
    archived: false,
    disabled: false,
    mirror_url: null,
    open_issues: 0,
    open_issues_count: 0,
    license: null,
    pushed_at: made,
    size: 1,
    stargazers_count: 0,
    watchers: 0,
    watchers_count: 0,
    created_at: made,
    updated_at: made,
  };
};

/** `GET /repos/{owner}/{repo}`. */
export const fullRepositoryAnswer = (base: string, state: FakeGitHubState, repository: FakeRepository): JsonObject => ({
  ...repositoryAnswer(base, state, repository),
  network_count: 0,
  subscribers_count: 0,
});

const link = (href: string): JsonObject => ({ href });

const headRepository = (base: string, state: FakeGitHubState, own: FakeRepository, pull: FakePull): Json => {
  if (pull.head.repo === null) return null;
  const [owner = "", name = ""] = (pull.head.repo ?? `${own.owner}/${own.name}`).split("/");
  const fork = findRepository(state, owner, name) ?? { ...own, owner, name, id: own.id + 1_000_000, pulls: [] };
  return repositoryAnswer(base, state, fork);
};

const sum = (pull: FakePull, field: "additions" | "deletions"): number =>
  pull.files.reduce((total, file) => total + file[field], 0);

/** `GET /repos/{owner}/{repo}/pulls/{pull_number}`. */
export const pullAnswer = (
  base: string,
  state: FakeGitHubState,
  repository: FakeRepository,
  pull: FakePull,
): JsonObject => {
  const url = `${base}/repos/${repository.owner}/${repository.name}/pulls/${pull.number}`;
  const issue = url.replace("/pulls/", "/issues/");
  const page = `https://github.com/${repository.owner}/${repository.name}/pull/${pull.number}`;
  const statuses = `${base}/repos/${repository.owner}/${repository.name}/statuses/${pull.head.sha}`;
  const author = simpleUser(base, findUser(state, pull.author));
  const headOwner = (pull.head.repo ?? repository.owner).split("/")[0] ?? repository.owner;
  const merged = pull.mergedAt !== undefined;
  return {
    url,
    id: repository.id * 1000 + pull.number,
    node_id: `PR_${repository.id}_${pull.number}`,
    html_url: page,
    diff_url: `${page}.diff`,
    patch_url: `${page}.patch`,
    issue_url: issue,
    commits_url: `${url}/commits`,
    review_comments_url: `${url}/comments`,
    review_comment_url: `${url.replace(/\d+$/, "comments{/number}")}`,
    comments_url: `${issue}/comments`,
    statuses_url: statuses,
    number: pull.number,
    state: pull.state,
    locked: false,
    title: pull.title,
    user: author,
    body: pull.body ?? null,
    labels: [],
    milestone: null,
    assignee: null,
    assignees: [],
    requested_reviewers: [],
    requested_teams: [],
    created_at: made,
    updated_at: made,
    closed_at: pull.state === "closed" ? (pull.mergedAt ?? made) : null,
    merged_at: pull.mergedAt ?? null,
    merge_commit_sha: null,
    draft: pull.draft ?? false,
    head: {
      label: `${headOwner}:${pull.head.ref}`,
      ref: pull.head.ref,
      sha: pull.head.sha,
      user: author,
      repo: headRepository(base, state, repository, pull),
    },
    base: {
      label: `${repository.owner}:${pull.base.ref}`,
      ref: pull.base.ref,
      sha: pull.base.sha,
      user: simpleUser(base, findUser(state, repository.owner)),
      repo: repositoryAnswer(base, state, repository),
    },
    _links: {
      self: link(url),
      html: link(page),
      issue: link(issue),
      comments: link(`${issue}/comments`),
      review_comments: link(`${url}/comments`),
      review_comment: link(`${url.replace(/\d+$/, "comments{/number}")}`),
      commits: link(`${url}/commits`),
      statuses: link(statuses),
    },
    author_association: pull.association ?? "CONTRIBUTOR",
    auto_merge: null,
    merged,
    mergeable: merged ? null : true,
    rebaseable: merged ? null : true,
    mergeable_state: merged ? "unknown" : "clean",
    merged_by: merged ? author : null,
    comments: 0,
    review_comments: 0,
    maintainer_can_modify: false,
    commits: 1,
    additions: sum(pull, "additions"),
    deletions: sum(pull, "deletions"),
    changed_files: pull.files.length,
  };
};

/** `GET /rate_limit`. */
export const rateLimitAnswer = (limit: {
  readonly used: number;
  readonly reset: number;
  readonly most: number;
}): JsonObject => {
  const core = {
    limit: limit.most,
    remaining: Math.max(0, limit.most - limit.used),
    reset: limit.reset,
    used: limit.used,
  };
  const search = { limit: 30, remaining: 30, reset: limit.reset, used: 0 };
  return { resources: { core, search, graphql: core }, rate: core };
};
