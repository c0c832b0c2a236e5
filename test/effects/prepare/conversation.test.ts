import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { type HostedHome, hostedHome, readTask } from "../../cases/support/hosted.ts";

vi.setConfig({ testTimeout: 120_000 });

const env = { GITHUB_TOKEN: "cv9T-askedOnce-000000" };

let home: HostedHome;
let headSha: string;
beforeEach(async () => {
  home = await hostedHome();
  const main = home.repo.commit({ message: "Start", files: { "src/a.ts": "export const a = 1;\n" } });
  headSha = home.repo.commit({
    branch: "c1",
    from: main,
    message: "One",
    files: { "src/a.ts": "export const a = 2;\n" },
  });
  home.repo.ref("refs/pull/1/head", headSha);
  home.fake.setState({
    users: [
      { login: "grace", id: 7 },
      { login: "acme", id: 8 },
    ],
    tokens: [{ token: env.GITHUB_TOKEN, login: "grace" }],
    repositories: [
      {
        id: 501,
        owner: "acme",
        name: "shop",
        pulls: [
          {
            number: 1,
            title: "Change 1",
            author: "grace",
            state: "open",
            head: { ref: "c1", sha: headSha },
            base: { ref: "main", sha: main },
            files: [],
            threads: [
              { id: "T1", path: "src/a.ts", line: 1, comments: [{ id: "C1", author: "ada", body: "Why two?" }] },
              {
                id: "T2",
                path: "src/a.ts",
                line: null,
                outdated: true,
                resolved: true,
                comments: [{ id: "C2", author: "ada", body: "Done" }],
              },
            ],
          },
        ],
        checks: [
          { sha: headSha, name: "build", kind: "run", conclusion: "SUCCESS" },
          { sha: headSha, name: "lint", kind: "run", conclusion: "FAILURE" },
          { sha: main, name: "old", kind: "run", conclusion: "FAILURE" },
        ],
      },
    ],
  });
});
afterEach(() => home.close());

const prepared = async () => {
  const { code, body } = await home.json(["pr-task", "prepare", home.url(1)], env);
  expect(code).toBe(0);
  const task = readTask(body.task_dir);
  return { ...task, said: JSON.parse(readFileSync(join(task.folder, "pr-review", "threads.json"), "utf8")) };
};
const add = () => home.json(["pr-queue", "add", home.url(1)], env);

describe("what was said on a PR", () => {
  it("is beside its preparation with its time, and the precis names what stands open and CI at exactly the head", async () => {
    await add();
    const { precis, said } = await prepared();
    expect(precis).toContain("- threads: 1 open, 1 resolved, 0 comments on the PR as a whole (threads.json)");
    expect(precis).toContain("- CI state: failure (2 checks at this head): lint failure");
    expect(precis).toContain("- `src/a.ts:1` ada: Why two?");
    expect(said.fetched_at).toMatch(/^\d{4}-\d\d-\d\dT/);
    expect(said.threads.map(({ resolved }: { resolved: boolean | null }) => resolved)).toEqual([false, true]);
    expect(said.checks.head_sha).toBe(headSha);
  });

  it("costs a note where the host does not answer, never the preparation, and is never told as none", async () => {
    await add();
    home.fake.behave({ operation: "graphql", times: 20, does: { kind: "raw", status: 503, body: "<html>" } });
    const { precis, said, notes } = await prepared();
    expect(precis).toContain("- threads: not read");
    expect(precis).toContain("- CI state: not read");
    expect(said).toMatchObject({ threads: null, reviews: null, checks: null });
    expect(notes.join("\n")).toContain("threads, reviews and checks were not read: github.com was not reached");
  });

  it("is not asked for again where the preparation stands at the same head", async () => {
    await add();
    expect((await home.json(["pr-sync", "--no-scan", "--no-remind"], env)).code).toBe(0);
    const before = home.fake.ledger.length;
    expect((await home.json(["pr-sync", "--no-scan", "--no-remind"], env)).code).toBe(0);
    // Step A2 refreshes the row, and that is all.
    expect(home.fake.ledger.length - before).toBe(1);
  });
});
