import { chmodSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import * as Effect from "effect/Effect";
import * as Fiber from "effect/Fiber";
import * as TestClock from "effect/TestClock";
import * as TestContext from "effect/TestContext";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { agentsCheck } from "../../../effects/doctor/agentsCheck.ts";
import { dataChecks } from "../../../effects/doctor/dataChecks.ts";
import type { Check, DoctorInput } from "../../../effects/doctor/finding.ts";
import { networkChecks, ollamaUrl } from "../../../effects/doctor/networkChecks.ts";
import { runDoctor } from "../../../effects/doctor/runDoctor.ts";
import { defaultConfig } from "../../../src/config/config.ts";
import { Refused } from "../../../src/errors.ts";
import { doctorInput } from "./support.ts";

let dir = "";
let input: DoctorInput;
beforeEach(() => {
  ({ dir, input } = doctorInput());
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

const find = async (checks: ReadonlyArray<Check>, name: string, changed: Partial<DoctorInput> = {}) => {
  const { checks: found } = await Effect.runPromise(
    runDoctor(
      { ...input, ...changed },
      checks.filter((check) => check.name === name),
    ),
  );
  const finding = found[0];
  if (finding === undefined) throw new Error(`no finding ${name}`);
  return finding;
};

describe("runDoctor", () => {
  it("counts findings, keeps their order and takes a failed look for a finding with its hint as the fix", async () => {
    const checks: ReadonlyArray<Check> = [
      { name: "a", run: () => Effect.succeed([{ name: "a", status: "pass", detail: "", fix: "" }]) },
      { name: "b", run: () => Effect.fail(new Refused({ message: "locked", hint: "wait" })) },
      { name: "c", run: () => Effect.succeed([{ name: "c", status: "warn", detail: "w", fix: "f" }]) },
    ];
    const report = await Effect.runPromise(runDoctor(input, checks));
    expect(report).toEqual({
      checks: [
        { name: "a", status: "pass", detail: "", fix: "" },
        { name: "b", status: "fail", detail: "locked", fix: "wait" },
        { name: "c", status: "warn", detail: "w", fix: "f" },
      ],
      pass: 1,
      warn: 1,
      fail: 1,
    });
  });

  it("waits less than 3 s for a check that never ends", async () => {
    const never: Check = { name: "never", run: () => Effect.never };
    const run = Effect.gen(function* () {
      const fiber = yield* Effect.fork(runDoctor(input, [never]));
      yield* TestClock.adjust("2900 millis");
      return yield* Fiber.join(fiber);
    });
    const report = await Effect.runPromise(Effect.provide(run, TestContext.TestContext));
    expect(report.checks[0]).toMatchObject({ name: "never", status: "warn" });
  });

  it("gives every warning and failure a fix, offline too", async () => {
    const report = await Effect.runPromise(
      runDoctor({ ...input, env: { ...input.env, GITHUB_API_URL: "http://127.0.0.1:1" } }),
    );
    for (const { status, fix, name } of report.checks) expect(fix !== "", name).toBe(status !== "pass");
    expect(report.checks.find(({ name }) => name === "github")).toMatchObject({ status: "warn" });
  });
});

describe("data checks", () => {
  it("say what is wrong with core.yaml, or warn of unknown keys", async () => {
    mkdirSync(input.home.config);
    writeFileSync(input.configPath, "logs:\n  max_mb: x\n");
    expect(await find(dataChecks, "config")).toMatchObject({
      status: "fail",
      detail: expect.stringContaining("core.yaml:2"),
    });
    writeFileSync(input.configPath, "log: 1\n");
    expect(await find(dataChecks, "config")).toMatchObject({
      status: "warn",
      detail: expect.stringContaining("did you mean logs"),
    });
  });

  it("count the rows of the queue and name what makes it unreadable", async () => {
    expect(await find(dataChecks, "queue")).toMatchObject({
      status: "pass",
      detail: expect.stringContaining("0 rows"),
    });
    const queue = Effect.fail(new Refused({ message: "line 3 is broken", hint: "adk pr-queue restore" }));
    expect(await find(dataChecks, "queue", { queue })).toMatchObject({ status: "fail", fix: "adk pr-queue restore" });
  });

  it("warn of more than ten bases in one repository, not of ten", async () => {
    for (let n = 0; n < 10; n += 1) mkdirSync(join(input.home.repos, "shop", `branch-${n}`), { recursive: true });
    expect((await find(dataChecks, "bases")).status).toBe("pass");
    mkdirSync(join(input.home.repos, "shop", "branch-10"));
    expect(await find(dataChecks, "bases")).toMatchObject({
      status: "warn",
      detail: expect.stringContaining("shop has 11"),
    });
  });

  it("add up the indexes of bases and tasks", async () => {
    const base = join(input.home.repos, "shop", "branch-main", "code-index", "chunks.lance");
    const task = join(input.home.tasks, "acme__shop_pr-1", "code-index");
    for (const folder of [base, task]) {
      mkdirSync(folder, { recursive: true });
      writeFileSync(join(folder, "data"), Buffer.alloc(1_500_000));
    }
    expect((await find(dataChecks, "index disk")).detail).toBe("2 indexes, 3.0 MB");
  });

  it("warn of task folders without a row", async () => {
    const finding = await find(dataChecks, "orphans", { orphans: Effect.succeed(["a__b_pr-1"]) });
    expect(finding).toMatchObject({ status: "warn", fix: "adk pr-task clean-orphans" });
    expect(finding.detail).toContain("a__b_pr-1");
  });

  it("tell finished worktrees from unfinished ones and from those whose folder is gone", async () => {
    const admin = (name: string) => join(input.home.repos, "shop", "original-clone", "worktrees", name);
    const checkout = join(dir, "checkout");
    mkdirSync(checkout);
    for (const name of ["whole", "gone", "half"]) {
      mkdirSync(admin(name), { recursive: true });
      writeFileSync(join(admin(name), "gitdir"), `${name === "gone" ? join(dir, "nowhere") : checkout}\n`);
      if (name !== "half") writeFileSync(join(admin(name), "adk-complete"), "");
    }
    expect(await find(dataChecks, "worktrees")).toMatchObject({
      status: "warn",
      detail: expect.stringContaining("2 of 3"),
    });
  });
});

describe("network checks", () => {
  const serve = async (answer: string) => {
    const seen: Array<Record<string, unknown>> = [];
    const server = createServer((request, response) => {
      seen.push({ ...request.headers, url: request.url });
      response.end(answer);
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const { port } = server.address() as AddressInfo;
    return { url: `http://127.0.0.1:${port}`, seen, close: () => new Promise((resolve) => server.close(resolve)) };
  };

  it("reach GitHub without sending the token", async () => {
    const server = await serve("{}");
    const env = { ...input.env, GITHUB_API_URL: server.url, GITHUB_TOKEN: "canary-token-123" };
    expect(await find(networkChecks, "github", { env })).toMatchObject({ status: "pass" });
    expect(JSON.stringify(server.seen)).not.toContain("canary");
    expect(server.seen).toHaveLength(1);
    await server.close();
  });

  it("say which tokens are there and never their values", async () => {
    const env = { GH_TOKEN: "canary-token-123" };
    const report = await Effect.runPromise(
      runDoctor(
        { ...input, env },
        networkChecks.filter(({ name }) => name === "tokens"),
      ),
    );
    expect(report.checks[0]).toMatchObject({ name: "token github", status: "pass", detail: "GH_TOKEN present" });
    expect(JSON.stringify(report)).not.toContain("canary");
  });

  it("want a Slack token only when channels are configured", async () => {
    const config = { ...defaultConfig, slack: { ...defaultConfig.slack, channels: ["#reviews"] } };
    const tokens = networkChecks.filter(({ name }) => name === "tokens");
    const [without, withChannels] = await Promise.all(
      [input, { ...input, config }].map((each) => Effect.runPromise(runDoctor(each, tokens))),
    );
    expect(without?.warn).toBe(0);
    expect(withChannels?.checks.find(({ name }) => name === "token slack")?.status).toBe("warn");
  });

  const gh = (script: string) => {
    writeFileSync(join(dir, "gh"), `#!/bin/sh\n${script}\n`);
    chmodSync(join(dir, "gh"), 0o700);
  };

  it("know a login of gh and keep its token secret", async () => {
    gh("echo canary-gh-token");
    expect(await find(networkChecks, "gh")).toEqual({ name: "gh", status: "pass", detail: "logged in", fix: "" });
    expect(input.log.redact("canary-gh-token")).toBe("<redacted>");
  });

  it("name a gh without login, a missing one, and one that hangs", async () => {
    expect(await find(networkChecks, "gh")).toMatchObject({
      status: "warn",
      detail: expect.stringContaining("not installed"),
    });
    gh("exit 1");
    expect(await find(networkChecks, "gh")).toMatchObject({ status: "warn", fix: "gh auth login" });
    expect((await find(networkChecks, "gh", { env: { PATH: dir, GH_TOKEN: "x1" } })).status).toBe("pass");
    gh("exec /bin/sleep 60");
    expect(await find(networkChecks, "gh")).toMatchObject({
      status: "warn",
      detail: expect.stringContaining("no answer"),
    });
  });

  it("look for Ollama only when it is configured, and for its model", async () => {
    expect((await find(networkChecks, "ollama")).detail).toContain("not used");
    const config = { ...defaultConfig, embed: { ...defaultConfig.embed, provider: "ollama" as const } };
    const server = await serve(JSON.stringify({ models: [{ name: "nomic-embed-text:latest" }] }));
    const env = { OLLAMA_HOST: server.url };
    expect((await find(networkChecks, "ollama", { config, env })).status).toBe("pass");
    const other = { ...config, embed: { ...config.embed, model: "other" } };
    expect(await find(networkChecks, "ollama", { config: other, env })).toMatchObject({
      status: "fail",
      fix: "ollama pull other",
    });
    await server.close();
    expect(await find(networkChecks, "ollama", { config, env })).toMatchObject({ status: "fail", fix: "ollama serve" });
  });

  it.each([
    ["", "http://127.0.0.1:11434"],
    ["0.0.0.0", "http://127.0.0.1:11434"],
    ["gpu.test:1234", "http://gpu.test:1234"],
    ["https://gpu.test", "https://gpu.test"],
    ["file:///etc/passwd", null],
    ["http://[", null],
  ])("read OLLAMA_HOST %j as %s", (host, url) => {
    expect(ollamaUrl({ OLLAMA_HOST: host }, defaultConfig)).toBe(url);
  });
});

describe("agents", () => {
  it("must be installed when configured", async () => {
    expect(await find([agentsCheck], "agents")).toMatchObject({ status: "pass", detail: "claude: not installed" });
    const config = { ...defaultConfig, agents: { mine: { bin: join(dir, "mine") } } };
    expect(await find([agentsCheck], "agents", { config })).toMatchObject({
      status: "warn",
      fix: expect.stringContaining("agents.mine.bin"),
    });
    writeFileSync(join(dir, "mine"), "#!/bin/sh\n", { mode: 0o700 });
    expect((await find([agentsCheck], "agents", { config })).status).toBe("pass");
  });
});
