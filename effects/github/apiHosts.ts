import { serviceAddress, withoutTrailingSlash } from "../../src/network/serviceAddress.ts";

/** Where the REST interface of one GitHub host stands. */
export interface GitHubApi {
  /** Without a trailing slash. */
  readonly baseUrl: string;
  /** The host's own interface, as opposed to a proxy or a test server named by GITHUB_API_URL. */
  readonly isOwnHost: boolean;
}

export interface ApiHostOptions {
  readonly env: NodeJS.ProcessEnv;
  /** `github.hosts` of core.yaml. */
  readonly githubHosts: ReadonlyArray<string>;
}

const override = (env: NodeJS.ProcessEnv): URL | null => {
  const text = env.GITHUB_API_URL;
  return text === undefined || text === "" ? null : serviceAddress(text);
};

/** The host whose repositories GITHUB_API_URL serves: an enterprise host by its `/api/v3`, else github.com. */
const hostOfOverride = (url: URL): string => (/\/api\/v3\/?$/.test(url.pathname) ? url.hostname : "github.com");

const ownBaseUrl = (host: string): string => {
  if (host === "github.com") return "https://api.github.com";
  return host.endsWith(".ghe.com") ? `https://api.${host}` : `https://${host}/api/v3`;
};

/** The host that GITHUB_TOKEN belongs to: the one GITHUB_API_URL serves, else github.com. It is sent nowhere else. */
export const tokenHost = (env: NodeJS.ProcessEnv): string => {
  const url = override(env);
  return url === null ? "github.com" : hostOfOverride(url);
};

/** GitHub hosts that adk talks to, github.com first: for `parsePr` and for `apiFor`. */
export const knownGitHubHosts = (options: ApiHostOptions): ReadonlyArray<string> => {
  const listed = options.githubHosts.map((host) => host.toLowerCase());
  return [...new Set(["github.com", tokenHost(options.env), ...listed])];
};

/**
 * The REST interface of `host`, or null for a host that is neither github.com, nor configured, nor the one that
 * GITHUB_API_URL serves. Only https, except for a loopback address; a GITHUB_API_URL that breaks this is not used.
 */
export const apiFor = (host: string, options: ApiHostOptions): GitHubApi | null => {
  const name = host.toLowerCase();
  if (!knownGitHubHosts(options).includes(name)) return null;
  const url = override(options.env);
  if (url === null || hostOfOverride(url) !== name) return { baseUrl: ownBaseUrl(name), isOwnHost: true };
  const baseUrl = withoutTrailingSlash(url);
  return { baseUrl, isOwnHost: baseUrl === ownBaseUrl(name) };
};
