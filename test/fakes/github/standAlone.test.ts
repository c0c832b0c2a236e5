import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { expect, it } from "vitest";
import { shopState } from "../../../fixtures/github/shopState.ts";

it("the fake GitHub runs as a process of its own and ends with its ledger", async () => {
  const folder = mkdtempSync(join(tmpdir(), "adk-fake-"));
  const file = join(folder, "state.json");
  writeFileSync(file, JSON.stringify(shopState));
  const child = spawn(process.execPath, ["scripts/runTs.mjs", "test/fakes/github/standAlone.ts", file], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  try {
    const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
    const { url } = JSON.parse((await lines.next()).value);
    const headers = { "user-agent": "test" };
    expect((await fetch(`${url}/repos/acme/shop-api/pulls/1`, { headers })).status).toBe(200);
    expect((await fetch(`${url}/repos/acme/shop-api/pull/1`, { headers })).status).toBe(500);
    const ended = once(child, "exit");
    child.stdin.end();
    const last = JSON.parse((await lines.next()).value);
    expect(last.ledger.map((entry: { status: number }) => entry.status)).toEqual([200, 500]);
    expect(last.violations).toHaveLength(1);
    expect(await ended).toEqual([1, null]);
  } finally {
    child.kill("SIGKILL");
    rmSync(folder, { recursive: true, force: true });
  }
});
