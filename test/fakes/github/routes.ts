import { authenticatedUser, fullRepositoryAnswer, pullAnswer, rateLimitAnswer } from "./answers.ts";
import { type Misbehaviour, misbehaviours } from "./behaviours.ts";
import type { JsonObject } from "./schemas.ts";
import {
  type FakeGitHubState,
  type FakeRepository,
  type FakeToken,
  findFormerName,
  findRepository,
  findUser,
} from "./state.ts";

export interface RouteCall {
  readonly base: string;
  readonly state: FakeGitHubState;
  readonly parameters: Readonly<Record<string, string>>;
  /** Who asks; null without a token. */
  readonly token: FakeToken | null;
  readonly limit: { readonly used: number; readonly reset: number; readonly most: number };
}

type Route = (call: RouteCall) => Misbehaviour;

const ok = (body: JsonObject): Misbehaviour => ({ kind: "answer", status: 200, body });

const moved = (call: RouteCall, repository: FakeRepository, rest: string): Misbehaviour => ({
  kind: "answer",
  status: 301,
  headers: { location: `${call.base}/repositories/${repository.id}${rest}` },
  body: { message: "Moved Permanently", url: `${call.base}/repositories/${repository.id}${rest}` },
});

/** Runs `then` on the repository of the path: 301 for a former name, 404 for a hidden one, 403 without single sign-on. */
const inRepository = (
  call: RouteCall,
  rest: string,
  then: (repository: FakeRepository) => Misbehaviour,
): Misbehaviour => {
  const { owner = "", repo = "" } = call.parameters;
  const repository = findRepository(call.state, owner, repo);
  if (repository === undefined) {
    const renamed = findFormerName(call.state, owner, repo);
    return renamed === undefined ? misbehaviours.notFound : moved(call, renamed, rest);
  }
  if (repository.isPrivate && call.token === null) return misbehaviours.notFound;
  if (call.token?.ssoMissing?.includes(repository.owner)) return misbehaviours.samlRequired(repository.owner);
  return then(repository);
};

/** Operation of the published description → what the fake does for it. A further capability adds its lines here. */
export const routes: Readonly<Record<string, Route>> = {
  "pulls/get": (call) =>
    inRepository(call, `/pulls/${call.parameters.pull_number}`, (repository) => {
      const pull = repository.pulls.find((known) => String(known.number) === call.parameters.pull_number);
      return pull === undefined ? misbehaviours.notFound : ok(pullAnswer(call.base, call.state, repository, pull));
    }),
  "repos/get": (call) =>
    inRepository(call, "", (repository) => ok(fullRepositoryAnswer(call.base, call.state, repository))),
  "users/get-authenticated": (call) =>
    call.token === null
      ? { kind: "answer", status: 401, body: { message: "Requires authentication" } }
      : ok(authenticatedUser(call.base, findUser(call.state, call.token.login))),
  "rate-limit/get": (call) => ok(rateLimitAnswer(call.limit)),
};

/** Addresses by repository id, which GitHub redirects to and does not describe → the described address. */
export const describedPath = (state: FakeGitHubState, pathname: string): string => {
  const byId = /^\/repositories\/(\d+)(\/.*)?$/.exec(pathname);
  const repository = byId === null ? undefined : state.repositories.find((known) => String(known.id) === byId[1]);
  return repository === undefined ? pathname : `/repos/${repository.owner}/${repository.name}${byId?.[2] ?? ""}`;
};
