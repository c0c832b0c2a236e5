// The fake GitHub as a process of its own: node scripts/runTs.mjs test/fakes/github/standAlone.ts STATE.json
// Prints {"url"} when it listens. On SIGTERM or when stdin ends it prints {"ledger","violations"} and ends, with exit
// code 1 when there were violations.
import { readFileSync } from "node:fs";
import { startFakeGitHub } from "./startFakeGitHub.ts";
import type { FakeGitHubState } from "./state.ts";

const [file] = process.argv.slice(2);
if (file === undefined) {
  process.stderr.write("usage: standAlone.ts STATE.json\n");
  process.exit(2);
}
const state = JSON.parse(readFileSync(file, "utf8")) as FakeGitHubState;
const fake = await startFakeGitHub({ state });
const end = async () => {
  await fake.close();
  const ledger = fake.ledger.map((entry) => ({ ...entry, query: Object.fromEntries(entry.query) }));
  process.stdout.write(`${JSON.stringify({ ledger, violations: fake.violations })}\n`, () =>
    process.exit(fake.violations.length === 0 ? 0 : 1),
  );
};
process.once("SIGTERM", end);
process.stdin.resume().once("end", end);
process.stdout.write(`${JSON.stringify({ url: fake.url })}\n`);
