import { chmodSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { Ended } from "../cli/support/program.ts";
import { hoursAgo, message, type SlackHome, slackHome, slackToken } from "../e2e/slack/support/slackHome.ts";
import type { Misbehaviour } from "../fakes/github/behaviours.ts";
import { canariesBelow, canariesIn, plant } from "../support/canaries.ts";

vi.setConfig({ testTimeout: 240_000 });

const githubToken = plant("gitHubCanary+8k/Tz'2v\"Lq=7");
const bitbucketToken = plant("bitbucketCanary+4j/Wm=9x&Rd");
const storedLogin = plant("storedLoginCanary0Hn6Fy3Ub");
const inAddress = plant("addressCanary7Gs2Kp5Vt");
const inHeader = plant("headerCanary1Xc9Bn4Ml");
plant(slackToken);

let home: SlackHome;
let env: NodeJS.ProcessEnv;
let argv: string[];
let outside: string;
let watch: NodeJS.Timeout;

/** What a person typed, and what git itself makes of the person's own insteadOf when it starts its helper. */
const ownWords = /^\S*node \S*bin\/adk |git-core\/git[ -]remote-https? https:\/\/github\.com\/acme\/gone/;

/** Words of every process of the machine that carry a planted value which adk put there. */
const lookAtProcesses = (): void => {
  for (const pid of readdirSync("/proc").filter((name) => /^\d+$/.test(name))) {
    try {
      const words = readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ");
      if (canariesIn(words).length > 0 && !ownWords.test(words)) argv.push(words);
    } catch {
      // It has ended meanwhile.
    }
  }
};

const url = (number: number): string => `https://github.com/acme/shop/pull/${number}`;

beforeEach(async () => {
  home = await slackHome();
  outside = join(home.repo.dir, "..");
  const main = home.repo.commit({ message: "Start", files: { "a.ts": "export const a = 1;\n" } });
  const headSha = home.repo.commit({ branch: "c1", from: main, message: "One", files: { "b.ts": "export {};\n" } });
  for (const number of [1, 2]) home.repo.ref(`refs/pull/${number}/head`, headSha);
  const pulls = [1, 2].map((number) => ({
    number,
    title: `Change ${number}`,
    author: "grace",
    state: "open" as const,
    head: { ref: "c1", sha: headSha },
    base: { ref: "main", sha: main },
    files: [],
  }));
  home.fake.setState({
    users: [
      { login: "grace", id: 7 },
      { login: "acme", id: 8 },
    ],
    tokens: [{ token: githubToken, login: "grace" }],
    repositories: [{ id: 501, owner: "acme", name: "shop", pulls }],
  });
  const bin = join(outside, "bin");
  mkdirSync(bin);
  writeFileSync(join(bin, "gh"), `#!/bin/sh\necho '${storedLogin}'\n`);
  chmodSync(join(bin, "gh"), 0o755);
  const config = join(outside, "gitconfig");
  const address = `https://robot:${inAddress}@127.0.0.1:9/`;
  const more = `[url "${address}"]\n\tinsteadOf = https://github.com/acme/gone\n[http]\n\textraHeader = Authorization: Bearer ${inHeader}\n`;
  writeFileSync(config, readFileSync(config, "utf8") + more);
  env = {
    GITHUB_TOKEN: githubToken,
    BITBUCKET_TOKEN: bitbucketToken,
    BITBUCKET_USERNAME: "ada",
    BITBUCKET_API_URL: "http://127.0.0.1:9",
    OLLAMA_API_KEY: plant("ollamaCanary3Ze8Yq6Wr"),
    PATH: `${bin}${delimiter}${process.env.PATH ?? ""}`,
  };
  argv = [];
  watch = setInterval(lookAtProcesses, 10);
});
afterEach(async () => {
  clearInterval(watch);
  await home.close();
});

/** Runs a verb with -v; nothing that it printed may hold a planted value. */
const verb = async (args: ReadonlyArray<string>, more: NodeJS.ProcessEnv = {}): Promise<Ended> => {
  const end = await home.run(["-v", ...args], { ...env, ...more });
  expect([args, canariesIn(end.stdout), canariesIn(end.stderr)]).toEqual([args, [], []]);
  return end;
};

/** Answers of a host or a proxy that give the request's secrets back. */
const echoes = (): ReadonlyArray<Misbehaviour> => {
  const header = `Authorization: Bearer ${githubToken}`;
  const body = (text: string): string => JSON.stringify({ message: text });
  return [
    { kind: "raw", status: 401, body: body(`Bad credentials: ${header}`) },
    { kind: "raw", status: 403, body: body(`refused: ${githubToken}`) },
    { kind: "raw", status: 403, body: body(`refused: ${encodeURIComponent(githubToken)}`) },
    { kind: "raw", status: 403, body: body(`refused: ${Buffer.from(`x-token:${githubToken}`).toString("base64")}`) },
    { kind: "raw", status: 403, body: body(`cut off: ${"x".repeat(280)}${githubToken}`) },
    { kind: "raw", status: 422, body: body(`https://x:${githubToken}@github.com/acme/shop`) },
    { kind: "raw", status: 500, body: `<html>${header}</html>` },
    { kind: "raw", status: 200, body: `{"data": {"${githubToken}` },
    {
      kind: "raw",
      status: 200,
      body: JSON.stringify({ data: null, errors: [{ type: "FORBIDDEN", message: `no ${githubToken}`, path: ["p0"] }] }),
    },
    { kind: "raw", status: 302, headers: { location: `https://elsewhere.invalid/?token=${githubToken}` }, body: "" },
    { kind: "drop" },
  ];
};

describe("a secret", () => {
  it("is found in no file, line, address or argument of a run that goes well and of runs that fail in every way", async () => {
    home.say([message(hoursAgo(3), `please ${url(2)}`)]);
    expect((await verb(["pr-queue", "add", url(1)])).code).toBe(0);
    await verb(["pr-sync"]);
    for (const does of echoes()) {
      const before = home.fake.ledger.length;
      home.fake.behave({ does });
      const { code } = await verb(["pr-queue", "update", "--all"]);
      const answered = home.fake.ledger.slice(before).map(({ status }) => status);
      // An answer that is no GraphQL makes adk ask by REST, which may then go well.
      const ended = code === 0 || code === 1;
      expect([does, ended, answered[0]]).toEqual([does, true, does.kind === "raw" ? does.status : null]);
    }
    for (const error of ["invalid_auth", slackToken, `bad ${slackToken}`]) {
      home.slack.behave("conversations.list", {
        kind: "error",
        error,
        more: { needed: slackToken, detail: slackToken },
      });
      home.slack.behave("conversations.history", { kind: "error", error });
      expect((await verb(["pr-scan"])).code).not.toBe(0);
    }
    home.slack.behave("conversations.list", { kind: "error", error: "missing_scope", more: { needed: slackToken } });
    await verb(["pr-scan"]);
    await verb(["pr-queue", "add", `https://robot:${inAddress}@github.com/acme/shop/pull/3`]);
    await verb(["repo", "add", `https://robot:${inAddress}@127.0.0.1:9/acme/gone.git`]);
    await verb(["repo", "add", "https://github.com/acme/gone.git"]);
    await verb(["pr-queue", "add", "https://bitbucket.org/acme/shop/pull-requests/1"]);
    await verb(["pr-queue", "list"]);
    await verb(["pr-task", "info", url(1)]);
    await verb(["doctor"]);
    expect((await verb(["config", "set", "github.hosts", '["localhost"]'])).code).toBe(0);
    await verb(["pr-queue", "add", "https://localhost/acme/shop/pull/1"], { GITHUB_TOKEN: "", GITHUB_API_URL: "" });
    expect(canariesBelow(home.data)).toEqual([]);
    expect(argv).toEqual([]);
    expect(readdirSync(join(home.data, "logs")).filter((name) => name.endsWith(".log")).length).toBeGreaterThan(20);
  });
});

describe("the guard over all tests", () => {
  it("finds a planted value in every form, also cut off, and in the name of a file", () => {
    const value = plant("guardCanary+/='5 Jk8\"Zr2");
    const folder = join(outside, "guarded");
    mkdirSync(folder);
    const forms = [
      value,
      encodeURIComponent(value),
      Buffer.from(`u:${value}`).toString("base64"),
      value.slice(0, 13),
      JSON.stringify(value),
    ];
    for (const [at, form] of forms.entries()) writeFileSync(join(folder, `form${at}`), `before ${form} after`);
    expect(canariesBelow(folder)).toHaveLength(forms.length);
    writeFileSync(join(folder, "clean"), "nothing here");
    expect(canariesIn(readFileSync(join(folder, "clean")))).toEqual([]);
  });
});
