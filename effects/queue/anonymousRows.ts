import * as Effect from "effect/Effect";
import { identityKey } from "../../src/names.ts";
import type { QueueRow } from "../../src/queue/row.ts";
import { counted } from "../../src/text/counted.ts";
import { formatTime, type IsoTime } from "../../src/time.ts";
import type { AnonymousBudget } from "../platform/PlatformReader.ts";
import { PullRequests } from "../platform/PullRequests.ts";

/** Fewer rows than this are asked without a word, when what is left suffices. */
const worthSaying = 20;
/** PRs that one request reads with a token. */
const perBatch = 50;

interface NotAsked {
  readonly error: string;
  readonly retry_at: IsoTime;
}

const oldestFirst = (rows: ReadonlyArray<QueueRow>): ReadonlyArray<QueueRow> =>
  [...rows].sort((a, b) => {
    const [one, other] = [a.last_checked_at ?? "", b.last_checked_at ?? ""];
    return one < other ? -1 : one > other ? 1 : 0;
  });

const noteOf = (budget: AnonymousBudget, rows: number, asked: number): string => {
  const { host, limit, usable, resetAt } = budget;
  const short = asked === rows ? "" : `: the ${asked} checked longest ago are asked, ${rows - asked} are not`;
  return `${host} has no token: ${counted(rows, "PR")} are as many requests, and ${usable} of ${limit} an hour are left until ${formatTime(resetAt)}${short}; with a token (GITHUB_TOKEN, or gh auth login --hostname ${host}) it is ${counted(Math.ceil(rows / perBatch), "request")}`;
};

const notAsked = ({ host, resetAt }: AnonymousBudget): NotAsked => ({
  error: `not asked: what ${host} grants without a token is used up until ${formatTime(resetAt)} — set GITHUB_TOKEN, or gh auth login --hostname ${host}`,
  retry_at: formatTime(resetAt),
});

/**
 * Which rows may be asked for where a GitHub host is read without a token, one request each (60 an hour at github.com):
 * as many as are left, those first that were checked longest ago. `notes` say so before anything is asked; the rows
 * that are left out keep their state.
 */
export const withinAnonymousBudget = (rows: ReadonlyArray<QueueRow>) =>
  Effect.gen(function* () {
    const pulls = yield* PullRequests;
    const github = rows.filter(({ platform }) => platform === "github");
    const left = new Map<string, NotAsked>();
    const notes: Array<string> = [];
    for (const host of new Set(github.map((row) => row.host.toLowerCase()))) {
      const ofHost = github.filter((row) => row.host.toLowerCase() === host);
      const budget = yield* pulls.anonymousBudget(host, ofHost.length);
      if (budget === null) continue;
      const asked = Math.min(budget.usable, ofHost.length);
      for (const row of oldestFirst(ofHost).slice(asked)) left.set(identityKey(row), notAsked(budget));
      if (asked < ofHost.length || ofHost.length > worthSaying) notes.push(noteOf(budget, ofHost.length, asked));
    }
    return { asked: rows.filter((row) => !left.has(identityKey(row))), left, notes };
  });
