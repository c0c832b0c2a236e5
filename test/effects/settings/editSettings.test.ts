import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as Effect from "effect/Effect";
import * as Either from "effect/Either";
import * as Layer from "effect/Layer";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { layer as homeLayer } from "../../../effects/home/Home.ts";
import { setConfig, setInText } from "../../../effects/settings/editSettings.ts";
import { parseSettings } from "../../../effects/settings/parseSettings.ts";
import { layer as locksLayer } from "../../../effects/store/Locks.ts";

const set = async (text: string, key: string, word: string) => {
  const result = await Effect.runPromise(Effect.either(setInText("core.yaml", text, key, word)));
  return Either.getOrThrowWith(result, (error) => error).text;
};

const commented = `# my settings
defaults:
    platform:   github   # where we are
    repo: "acme/shop"
# sync
pr_sync: {base_jobs: 2,  prepare_jobs: 4} # two

github:
  hosts:
    - ghe.acme.test   # ours
`;

describe("setInText", () => {
  it("changes one value in place and no other byte", async () => {
    expect(await set(commented, "defaults.platform", "bitbucket")).toBe(
      commented.replace("github   #", "bitbucket   #"),
    );
    expect(await set(commented, "defaults.repo", "acme/web")).toBe(commented.replace('"acme/shop"', "acme/web"));
    expect(await set(commented, "pr_sync.prepare_jobs", "8")).toBe(
      commented.replace("prepare_jobs: 4", "prepare_jobs: 8"),
    );
  });

  it("adds a key to its section and a section to the file, comments kept", async () => {
    const more = await set(commented, "pr_sync.auto_base_threshold", "3");
    for (const comment of ["# my settings", "# where we are", "# sync", "# two", "# ours"])
      expect(more).toContain(comment);
    const { config } = await Effect.runPromise(parseSettings("core.yaml", more));
    expect(config.pr_sync).toMatchObject({ base_jobs: 2, prepare_jobs: 4, auto_base_threshold: 3 });
    expect(await set("# only a comment\n", "logs.max_mb", "5")).toBe("# only a comment\n\nlogs:\n  max_mb: 5\n");
    expect(await set("", "logs.max_mb", "5")).toBe("logs:\n  max_mb: 5\n");
  });

  it("replaces a list that is written as a block", async () => {
    const text = await set(commented, "github.hosts", "[a.test, b.test]");
    const { config } = await Effect.runPromise(parseSettings("core.yaml", text));
    expect(config.github.hosts).toEqual(["a.test", "b.test"]);
    expect(text).toContain("# where we are");
  });

  it("sets entries of maps and agents", async () => {
    const text = await set(await set("", "agents.claude.cost_usd", "0.5"), "user_mappings.github_to_slack.ada", "U123");
    const { config } = await Effect.runPromise(parseSettings("core.yaml", text));
    expect(config.agents).toEqual({ claude: { cost_usd: 0.5 } });
    expect(config.user_mappings.github_to_slack).toEqual({ ada: "U123" });
  });

  it("keeps text text, whatever it looks like", async () => {
    for (const word of ["yes", "007", "a: b", "# x", "{", "*a", "!!str", "null-ish", "'\"", " "]) {
      const { config } = await Effect.runPromise(
        parseSettings("core.yaml", await set("tui: {theme: dark}\n", "tui.theme", word)),
      );
      expect(config.tui.theme).toBe(word);
    }
  });

  it.each([
    ["pr_sync.base_job", "1", /unknown key/, /pr_sync\.base_jobs/],
    ["pr_sync", "1", /unknown key/, /./],
    ["__proto__.x", "1", /unknown key/, /./],
    ["agents.__proto__.bin", "x", /unknown key/, /./],
    ["pr_sync.base_jobs", "many", /whole number/, /./],
    ["pr_sync.base_jobs", "[", /whole number/, /./],
    ["embed.provider", "gpu", /one of builtin, ollama/, /./],
    ["github.hosts", "a.test", /list of texts/, /./],
  ])("refuses %s %s before anything is written", async (key, word, message, hint) => {
    const result = await Effect.runPromise(Effect.either(setInText("core.yaml", commented, key, word)));
    if (Either.isRight(result)) throw new Error("was accepted");
    expect(result.left).toMatchObject({ _tag: "UsageError", exitCode: 2 });
    expect(result.left.message).toMatch(message);
    expect(result.left.hint).toMatch(hint);
  });

  it("does not touch a file that it cannot read", async () => {
    const result = await Effect.runPromise(Effect.either(setInText("core.yaml", "a: [", "logs.max_mb", "1")));
    expect(Either.isLeft(result) && result.left._tag).toBe("ConfigUnreadable");
  });
});

describe("setConfig", () => {
  let dir = "";
  /** Sets a key of a file of a data home of its own. */
  const setIn = (path: string, key: string, word: string) =>
    setConfig(path, key, word).pipe(
      Effect.provide(Layer.provideMerge(locksLayer, homeLayer({ env: { ADK_DATA_HOME: dir } }))),
    );
  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), "adk-set-"));
  });
  afterEach(() => rmSync(dir, { recursive: true, force: true }));

  it("creates the file 0600 under umask 000", async () => {
    const path = join(dir, "config", "core.yaml");
    const umask = process.umask(0);
    await Effect.runPromise(setIn(path, "logs.keep_days", "3")).finally(() => process.umask(umask));
    expect(readFileSync(path, "utf8")).toBe("logs:\n  keep_days: 3\n");
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(statSync(join(dir, "config")).mode & 0o777).toBe(0o700);
  });

  it("waits for whoever is at it: one that reads while another writes would lose that one's change", async () => {
    const path = join(dir, "config", "core.yaml");
    const keys = ["logs.keep_days", "logs.max_mb", "auto.max_reviews", "pr_sync.base_jobs"];
    await Effect.runPromise(
      Effect.all(
        keys.map((key) => setIn(path, key, "3")),
        { concurrency: "unbounded" },
      ),
    );
    const text = readFileSync(path, "utf8");
    for (const key of keys) expect(text).toContain(`${key.slice(key.indexOf(".") + 1)}: 3`);
  });

  it("leaves the file as it is when the value is refused", async () => {
    const path = join(dir, "core.yaml");
    writeFileSync(path, commented);
    const result = await Effect.runPromise(Effect.either(setIn(path, "logs.keep_days", "never")));
    expect(Either.isLeft(result)).toBe(true);
    expect(readFileSync(path, "utf8")).toBe(commented);
    expect(existsSync(join(dir, "core.yaml.bak"))).toBe(false);
  });
});
