import * as Effect from "effect/Effect";
import { type ApiHostOptions, apiFor, tokenHost } from "./apiHosts.ts";

const nonEmpty = (value: string | undefined): string | null => {
  const text = value?.trim() ?? "";
  // A token is one printable word; anything else would end up in a header or in a prompt of git.
  return /^[\x21-\x7e]+$/.test(text) ? text : null;
};

/** What `gh` has stored for the host, or null: not installed, not logged in, or no answer within 5 s. */
const storedLogin = (host: string, env: NodeJS.ProcessEnv): Effect.Effect<string | null> =>
  Effect.promise(async (signal) => {
    const { execa } = await import("execa");
    const result = await execa("gh", ["auth", "token", "--hostname", host], {
      env: { ...env, GH_PROMPT_DISABLED: "1", NO_COLOR: "1" },
      extendEnv: false,
      stdin: "ignore",
      timeout: 5_000,
      reject: false,
      maxBuffer: 64 * 1024,
      cancelSignal: signal,
    });
    return result.failed ? null : nonEmpty(result.stdout);
  });

/** What `gh` too takes for every host that is an Enterprise Server, and for no other. */
const enterpriseToken = (host: string, env: NodeJS.ProcessEnv): string | null =>
  host === "github.com" || host.endsWith(".ghe.com")
    ? null
    : (nonEmpty(env.GH_ENTERPRISE_TOKEN) ?? nonEmpty(env.GITHUB_ENTERPRISE_TOKEN));

/**
 * The token for one GitHub host (spec 3, "Environment"): GITHUB_TOKEN or GH_TOKEN when they are that host's,
 * GH_ENTERPRISE_TOKEN or GITHUB_ENTERPRISE_TOKEN for another Enterprise Server, else what `gh auth token` has stored for it. Null means: go without. `gh` is asked only when the requests go to the host
 * itself, so that its login never reaches a proxy. The token is in no argv and in no log.
 */
export const tokenFor = (host: string, options: ApiHostOptions): Effect.Effect<string | null> => {
  const name = host.toLowerCase();
  const api = apiFor(name, options);
  if (api === null) return Effect.succeed(null);
  const given = nonEmpty(options.env.GITHUB_TOKEN) ?? nonEmpty(options.env.GH_TOKEN);
  if (given !== null && tokenHost(options.env) === name) return Effect.succeed(given);
  const enterprise = api.isOwnHost ? enterpriseToken(name, options.env) : null;
  if (enterprise !== null) return Effect.succeed(enterprise);
  return api.isOwnHost ? storedLogin(name, options.env) : Effect.succeed(null);
};
