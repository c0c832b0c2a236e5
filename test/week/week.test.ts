import { readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import {
  expectedBases,
  expectedNames,
  expectedReminders,
  expectedRows,
  expectedSyncs,
} from "../../fixtures/week/expected.ts";
import type { SlackOrigin } from "../../src/queue/row.ts";
import { ended } from "../cli/support/program.ts";
import { randomFrom } from "../equality/randomHistory.ts";
import { playWeek, type Reminder } from "./play.ts";
import { Team } from "./Team.ts";

const long = process.env.ADK_TEST_LONG === "1";
const killedWeeks = Number(process.env.ADK_TEST_WEEKS ?? (long ? 100 : 10));
const firstSeed = Number(process.env.ADK_TEST_SEED ?? 1);

const rowsOf = (team: Team) => {
  const names = new Map([...team.messages].map(([name, { ts }]) => [ts, name]));
  const threads = (origins: ReadonlyArray<SlackOrigin | null>): ReadonlyArray<string> =>
    origins.flatMap((origin) => (origin === null ? [] : [names.get(origin.thread_ts) ?? origin.thread_ts]));
  const commits = new Map([...team.heads].map(([name, sha]) => [sha, name.split(" ")[1] ?? ""]));
  return Object.fromEntries(
    team.cli
      .rows()
      .map((row) => [
        team.nameOf(row),
        {
          status: row.status,
          head: commits.get(row.head_sha ?? "") ?? row.head_sha,
          target: row.target_branch,
          threads: threads([row.slack, ...row.slack_threads]),
        },
      ])
      .sort(([a], [b]) => (String(a) < String(b) ? -1 : 1)),
  );
};

const basesOf = (team: Team): ReadonlyArray<readonly [string, string]> => {
  const repos = join(team.cli.data, "repos");
  return readdirSync(repos)
    .sort()
    .flatMap((repo) =>
      readdirSync(join(repos, repo))
        .filter((name) => name.startsWith("branch-"))
        .map((name) => [repo, name.slice("branch-".length)] as const),
    );
};

const named = (team: Team, reminders: ReadonlyArray<Reminder>) => {
  const names = new Map([...team.messages].map(([name, { ts }]) => [ts, name]));
  return reminders
    .map(({ day, text, thread }) => {
      const [, repo = "", number = ""] = /<https:\/\/[^>]+\/([^/]+)\/pull(?:-requests)?\/(\d+)>/.exec(text) ?? [];
      return [day, `${repo}#${number}`, names.get(thread) ?? thread] as const;
    })
    .sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
};

const sorted = <A>(items: ReadonlyArray<A>): ReadonlyArray<A> =>
  [...items].sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));

const check = async (team: Team, what: string): Promise<void> => {
  const reminders = await playWeek(team, (day) => {
    const names = team.cli.rows().map((row) => team.nameOf(row));
    expect([...names].sort(), `${what}, evening of day ${day}`).toEqual([...(expectedNames[day] ?? [])].sort());
    const row = (name: string) => team.cli.rows().find((one) => team.nameOf(one) === name);
    if (day === 0) expect(row("jobs#1")?.supporting_docs).toEqual(["https://docs.google.com/document/d/1/edit"]);
    if (day === 2) expect(row("shop#16")).toMatchObject({ is_draft: true, prep_status: "pending" });
    if (day === 3) expect(row("shop#10")).toMatchObject({ auto_merge: true });
  });
  expect(rowsOf(team), what).toEqual(
    Object.fromEntries(Object.entries(expectedRows).sort(([a], [b]) => (a < b ? -1 : 1))),
  );
  const unready = team.cli.rows().filter((row) => row.prep_status !== "ready" || row.prep_head_sha !== row.head_sha);
  expect(
    unready.map((row) => [team.nameOf(row), row.prep_status, row.prep_error]),
    what,
  ).toEqual([]);
  expect(new Set(team.cli.rows().map((row) => row.pr_url.toLowerCase())).size).toBe(team.cli.rows().length);
  expect(named(team, reminders), what).toEqual(sorted(expectedReminders));
  expect(basesOf(team), what).toEqual(expectedBases);
  expect(team.slack.violations, what).toEqual([]);
  expect(team.github.violations, what).toEqual([]);
  expect(team.bitbucket.violations, what).toEqual([]);
  expect(team.bitbucket.writes(), what).toEqual([]);
  const writes = team.github.ledger.filter(
    ({ method, body }) =>
      method !== "GET" && !/^query /.test((body as { readonly query?: string } | undefined)?.query ?? ""),
  );
  expect(writes, what).toEqual([]);
};

/** How long each sync of the undisturbed week took, in milliseconds: kills fall into that time. */
let durations: ReadonlyArray<number> = [];

/** Share of the syncs that are killed; the rest only costs time, which the normal run has little of. */
const killedShare = long ? 1 : 0.5;

/** Starts a sync once more than the week does, and kills that one at a random moment of its time. */
const killing = (seed: number, killed: Array<boolean>) => {
  const random = randomFrom(seed);
  return async (team: Team, nth: number): Promise<void> => {
    if (random() >= killedShare) return;
    const child = team.start(["pr-sync", "--json"]);
    const end = ended(child);
    const timer = setTimeout(() => child.kill("SIGKILL"), random() * (durations[nth] ?? 2000));
    const { signal } = await end;
    clearTimeout(timer);
    killed.push(signal === "SIGKILL");
  };
};

const playKilled = async (seed: number, killed: Array<boolean>): Promise<void> => {
  const team = await Team.start();
  team.beforeSync = killing(seed, killed);
  try {
    await check(team, `seed ${seed} (ADK_TEST_SEED=${seed} ADK_TEST_WEEKS=1)`);
  } finally {
    await team.close();
  }
};

describe("a team's week", () => {
  it("ends in exactly the rows, bases and reminders that were written down beforehand", {
    timeout: 300_000,
  }, async () => {
    const team = await Team.start();
    try {
      await check(team, "undisturbed");
      expect(team.syncs.map(({ code, ready, failed, warned }) => ({ code, ready, failed, warned }))).toEqual(
        expectedSyncs,
      );
      durations = team.syncs.map(({ milliseconds }) => milliseconds);
    } finally {
      await team.close();
    }
  });

  it(`ends the same when its syncs are killed at random, in ${killedWeeks} weeks`, {
    timeout: killedWeeks * 300_000,
  }, async () => {
    const killed: boolean[] = [];
    const seeds = Array.from({ length: killedWeeks }, (_, n) => firstSeed + n);
    // Two at a time: a week waits for its hosts' rate limits for some seconds.
    await Promise.all(
      [0, 1].map(async (player) => {
        for (const seed of seeds.filter((_, n) => n % 2 === player)) await playKilled(seed, killed);
      }),
    );
    // At least three a week on average: of nine syncs every second one is meant.
    expect(killed.length).toBeGreaterThan(3 * killedWeeks);
    expect(killed.filter(Boolean).length / killed.length).toBeGreaterThan(0.6);
  });
});
