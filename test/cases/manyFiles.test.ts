import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type HostedHome, hostedHome, readTask } from "./support/hosted.ts";

let home: HostedHome;
beforeEach(async () => {
  home = await hostedHome();
});
afterEach(() => home.close());

/** A PR that adds `count` files, of which the host counts `counted`, prepared. */
const prepare = async (count: number, counted: number) => {
  const { repo } = home;
  repo.commit({ message: "Start", files: { "README.md": "Shop\n" } });
  const files = Object.fromEntries(Array.from({ length: count }, (_, n) => [`data/${n}.txt`, `${n}\n`]));
  const headSha = repo.commit({ branch: "many", from: "main", message: "Many files", files });
  home.pulls([{ number: 1, head: "many", headSha, base: "main", files: counted }]);
  expect((await home.run(["pr-queue", "add", home.url(1)])).code).toBe(0);
  const { code, stderr } = await home.run(["pr-task", "prepare", home.url(1)]);
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  return readTask(join(home.data, "skill-pr-review", "acme__shop_pr-1"));
};

describe("a change request of very many files", () => {
  it.each([
    { count: 301, counted: 301, note: null },
    {
      count: 3001,
      counted: 3000,
      note: "the host counts 3000 changed files, the census 3001 (the host counts no further)",
    },
  ])("has its $count files from git; the host is never asked for their list", async ({ count, counted, note }) => {
    const task = await prepare(count, counted);
    expect(Object.keys(task.files)).toHaveLength(count);
    expect(task.files[`data/${count - 1}.txt`]).toBeDefined();
    expect(task.patch.match(/^diff --git /gm)).toHaveLength(count);
    expect(task.notes.filter((line) => line.includes("census"))).toEqual(note === null ? [] : [note]);
    const census = JSON.parse(readFileSync(join(task.folder, "pr-review", "changed-files.json"), "utf8"));
    expect(census.host_count).toBe(counted);
    expect(new Set(home.fake.ledger.map(({ operation }) => operation))).toEqual(new Set(["pulls/get"]));
    expect(home.fake.violations).toEqual([]);
  });
});
