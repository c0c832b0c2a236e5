import * as Effect from "effect/Effect";
import * as Either from "effect/Either";
import type { Config } from "../../src/config/config.ts";
import type { Failure } from "../../src/errors.ts";
import { formatTime } from "../../src/time.ts";
import { apiFor, knownGitHubHosts } from "../github/apiHosts.ts";
import type { RateLimit } from "../github/GitHub.ts";
import { type Check, count, type Finding, fail, pass, warn } from "./finding.ts";

/** Longest wait for one answer of the network or of gh, in milliseconds. */
const limitMs = 2_000;
const maxBytes = 1_000_000;
const defaultModel = "nomic-embed-text";

const isSet = (value: string | undefined): boolean => (value ?? "").trim() !== "";

const tokenFinding = (
  name: string,
  env: NodeJS.ProcessEnv,
  variables: ReadonlyArray<string>,
  needed: boolean,
): Finding => {
  const present = variables.filter((variable) => isSet(env[variable]));
  if (present.length > 0) return pass(name, `${present.join(", ")} present`);
  return needed
    ? warn(name, `none of ${variables.join(", ")} is set`, `export ${variables[0]}=…`)
    : pass(name, `${variables.join(", ")} absent, not needed by this configuration`);
};

const usesSlack = ({ slack }: Config): boolean => slack.channels.length > 0;

type GhAnswer = "missing" | "token" | "none" | "timeout";

/** Whether gh has a login; its token is read, made secret and dropped. */
const askGh = (input: { readonly env: NodeJS.ProcessEnv; readonly addSecret: (value: string) => void }) =>
  Effect.promise(async (signal): Promise<GhAnswer> => {
    const { execa } = await import("execa");
    const result = await execa("gh", ["auth", "token"], {
      env: { ...input.env, GH_PROMPT_DISABLED: "1", NO_COLOR: "1" },
      extendEnv: false,
      stdin: "ignore",
      timeout: limitMs,
      forceKillAfterDelay: 100,
      reject: false,
      maxBuffer: 64 * 1024,
      cancelSignal: signal,
    });
    if (result.code === "ENOENT") return "missing";
    if (result.timedOut) return "timeout";
    const token = result.stdout.trim();
    if (result.failed || token === "") return "none";
    input.addSecret(token);
    return "token";
  });

const ghFinding = (answer: GhAnswer, hasToken: boolean): Finding => {
  if (answer === "token") return pass("gh", "logged in");
  const what = { missing: "gh is not installed", none: "gh is not logged in", timeout: "gh gives no answer" }[answer];
  if (hasToken) return pass("gh", `${what}; not needed, a GitHub token is set`);
  return warn(
    "gh",
    `${what} and neither GITHUB_TOKEN nor GH_TOKEN is set`,
    answer === "missing" ? "export GITHUB_TOKEN=…" : "gh auth login",
  );
};

/** An answer of a server, or why there was none. No token is sent and no redirect followed. */
const ask = (url: string): Effect.Effect<{ readonly status: number; readonly body: string } | string> =>
  Effect.tryPromise({
    try: async (signal) => {
      const response = await fetch(url, {
        signal: AbortSignal.any([signal, AbortSignal.timeout(limitMs)]),
        redirect: "manual",
        headers: { "user-agent": "adk-doctor", accept: "application/json" },
      });
      let body = "";
      for await (const chunk of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
        body += chunk;
        if (body.length > maxBytes) break;
      }
      return { status: response.status, body };
    },
    catch: (error) => {
      if (error instanceof Error && error.name === "TimeoutError") return `no answer within ${limitMs / 1000} s`;
      const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
      return cause instanceof Error ? ((cause as NodeJS.ErrnoException).code ?? cause.message) : String(cause);
    },
  }).pipe(Effect.catchAll(Effect.succeed));

const reachable = (name: string, url: string) =>
  Effect.map(ask(url), (answer) =>
    typeof answer === "string"
      ? warn(name, `${url} is not reachable: ${answer}`, "check the network, the proxy and GITHUB_API_URL")
      : pass(name, `${url} answers`),
  );

/** Address of the Ollama server: OLLAMA_HOST, else embed.ollama_host, else Ollama's own default; null when it is none. */
export const ollamaUrl = (env: NodeJS.ProcessEnv, config: Config): string | null => {
  const given = (env.OLLAMA_HOST ?? "").trim() || (config.embed.ollama_host ?? "") || "127.0.0.1:11434";
  const text = given.includes("://") ? given : `http://${given}`;
  if (!URL.canParse(text)) return null;
  const url = new URL(text);
  if (url.protocol !== "http:" && url.protocol !== "https:") return null;
  if (url.hostname === "0.0.0.0") url.hostname = "127.0.0.1";
  if (url.port === "" && !given.includes("://")) url.port = "11434";
  return url.origin;
};

const modelsOf = (body: string): ReadonlyArray<string> => {
  try {
    const { models } = JSON.parse(body) as { models?: ReadonlyArray<{ name?: unknown }> };
    return Array.isArray(models) ? models.flatMap(({ name }) => (typeof name === "string" ? [name] : [])) : [];
  } catch {
    return [];
  }
};

const ollamaFinding = (env: NodeJS.ProcessEnv, config: Config): Effect.Effect<Finding> => {
  const url = ollamaUrl(env, config);
  if (url === null)
    return Effect.succeed(
      fail(
        "ollama",
        "OLLAMA_HOST or embed.ollama_host is no address",
        "adk config set embed.ollama_host http://127.0.0.1:11434",
      ),
    );
  const model = config.embed.model ?? defaultModel;
  return Effect.map(ask(`${url}/api/tags`), (answer) => {
    if (typeof answer === "string") return fail("ollama", `${url} is not reachable: ${answer}`, "ollama serve");
    const models = modelsOf(answer.body);
    return models.some((name) => name === model || name === `${model}:latest`)
      ? pass("ollama", `${url} has ${model}`)
      : fail(
          "ollama",
          `${url} answers with ${count(models.length, "model")}, without ${model}`,
          `ollama pull ${model}`,
        );
  });
};

/** Whether the host accepts the token, by a request that costs nothing. */
const accessFinding = (host: string, answer: Either.Either<RateLimit, Failure>): Finding => {
  const name = `github ${host}`;
  if (Either.isLeft(answer)) {
    const { _tag, message, hint } = answer.left;
    return _tag === "NotPermitted" ? fail(name, message, hint) : warn(name, message, hint);
  }
  const { hasToken, limit, remaining, resetAt } = answer.right;
  const left = `${remaining} of ${limit} requests left until ${formatTime(resetAt)}`;
  if (remaining === 0) return warn(name, left, "run it again after that");
  const only = hasToken ? "the token is accepted" : "no token: only public PRs, without their threads and checks";
  return pass(name, `${only}; ${left}`);
};

/** Checks of tokens (present or absent, never a value) and of servers. */
export const networkChecks: ReadonlyArray<Check> = [
  {
    name: "tokens",
    run: ({ env, config, queue }) =>
      Effect.map(Effect.either(queue), (read) => {
        const hasBitbucket = Either.isRight(read) && read.right.prs.some(({ platform }) => platform === "bitbucket");
        return [
          tokenFinding("token github", env, ["GITHUB_TOKEN", "GH_TOKEN"], false),
          tokenFinding("token slack", env, ["SLACK_USER_TOKEN", "SLACK_BOT_TOKEN"], usesSlack(config)),
          tokenFinding(
            "token bitbucket",
            env,
            ["BITBUCKET_TOKEN"],
            hasBitbucket || config.defaults.platform === "bitbucket",
          ),
        ];
      }),
  },
  {
    name: "gh",
    run: ({ env, log }) =>
      Effect.map(askGh({ env, addSecret: log.addSecret }), (answer) => [
        ghFinding(answer, isSet(env.GITHUB_TOKEN) || isSet(env.GH_TOKEN)),
      ]),
  },
  {
    name: "github",
    run: ({ env, config }) => {
      const options = { env, githubHosts: config.github.hosts };
      const apis = knownGitHubHosts(options).flatMap((host) => apiFor(host, options)?.baseUrl ?? []);
      return Effect.forEach(apis, (url) => reachable("github", url), { concurrency: "unbounded" });
    },
  },
  {
    name: "github token",
    run: ({ env, config, githubLimit }) =>
      Effect.forEach(
        knownGitHubHosts({ env, githubHosts: config.github.hosts }),
        (host) => Effect.map(Effect.either(githubLimit(host)), (answer) => accessFinding(host, answer)),
        { concurrency: "unbounded" },
      ),
  },
  {
    name: "ollama",
    run: ({ env, config }) =>
      config.embed.provider === "ollama"
        ? Effect.map(ollamaFinding(env, config), (finding) => [finding])
        : Effect.succeed([pass("ollama", "not used; embed.provider is builtin")]),
  },
];
