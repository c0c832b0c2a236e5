import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { shopState } from "../../fixtures/github/shopState.ts";
import { decodeSealedQueue } from "../../src/queue/codec.ts";
import { bytesOf, type CliHome, cliHome } from "../cli/support/queueHome.ts";
import { readyRow } from "../effects/queue/support/rows.ts";
import { type FakeGitHub, startFakeGitHub } from "../fakes/github/startFakeGitHub.ts";

const workers = 8;
const rounds = 5;
let fake: FakeGitHub;
let home: CliHome;

/** The pull requests that the workers add: one for each of them and each round. */
const added = (worker: number, round: number): number => 100 * worker + round;
const state = (): typeof shopState => {
  const [shop] = shopState.repositories;
  const [pull] = shop?.pulls ?? [];
  if (shop === undefined || pull === undefined) throw new Error("the recorded shop has no pull request");
  const numbers = Array.from({ length: workers }, (_, w) => Array.from({ length: rounds }, (__, r) => added(w + 1, r)));
  return {
    ...shopState,
    repositories: [{ ...shop, pulls: numbers.flat().map((number) => ({ ...pull, number })) }],
  };
};

beforeAll(async () => {
  fake = await startFakeGitHub({ state: state() });
});
afterAll(() => fake.close());
beforeEach(() => {
  home = cliHome();
});
afterEach(() => home.remove());

describe(`${workers} terminals that add, set, claim and release at once`, () => {
  it("lose none of 200 acknowledged writes", { timeout: 600_000 }, async () => {
    home.write(Array.from({ length: workers }, (_, index) => readyRow(index + 1)));
    const env = { GITHUB_API_URL: fake.url };
    let acknowledged = 0;
    const must = async (args: ReadonlyArray<string>, more: NodeJS.ProcessEnv = {}) => {
      const answer = await home.json(["pr-queue", ...args], { ...env, ...more });
      if (answer.code !== 0) throw new Error(`adk pr-queue ${args.join(" ")}: ${answer.code}: ${answer.stderr}`);
      acknowledged += 1;
      return answer.body;
    };
    const work = async (worker: number): Promise<ReadonlyArray<number>> => {
      const row = `acme/shop#${worker}`;
      const epochs: Array<number> = [];
      for (let round = 0; round < rounds; round += 1) {
        await must(["add", `https://github.com/acme/shop-api/pull/${added(worker, round)}`]);
        await must(["set-status", row, "comments"]);
        const { token, run_id, epoch } = await must(["claim", row, "--force"]);
        epochs.push(epoch);
        const mine = { ADK_CLAIM_TOKEN: token, ADK_RUN_ID: run_id };
        await must(["heartbeat", row], mine);
        await must(["release", row, "--status", round === rounds - 1 ? "approved" : "comments"], mine);
      }
      return epochs;
    };
    const begun = performance.now();
    const epochs = await Promise.all(Array.from({ length: workers }, (_, index) => work(index + 1)));
    expect(acknowledged).toBe(200);
    process.stdout.write(`cli contention: ${((performance.now() - begun) / acknowledged).toFixed(0)} ms a write\n`);

    const queue = decodeSealedQueue(bytesOf(home.queue))?.queue;
    expect(queue?.prs.slice(0, workers).map((row) => row.status)).toEqual(Array(workers).fill("approved"));
    expect(queue?.prs.slice(0, workers).map((row) => row.claim)).toEqual(Array(workers).fill(null));
    for (const mine of epochs) expect([...new Set(mine)].sort((a, b) => a - b)).toEqual(mine);
    const numbers = (queue?.prs.slice(workers) ?? []).map((row) => row.pr_number).sort((a, b) => a - b);
    expect(numbers).toEqual(epochs.flatMap((_, w) => Array.from({ length: rounds }, (__, r) => added(w + 1, r))));
    // A heartbeat within the second of its claim changes nothing and is not written.
    expect(queue?.rev).toBeGreaterThanOrEqual(1 + acknowledged - workers * rounds);
    expect(queue?.rev).toBeLessThanOrEqual(1 + acknowledged);
    expect(fake.violations).toEqual([]);
  });
});
