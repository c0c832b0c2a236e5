import type { Team } from "./Team.ts";

/** Reminders as Slack saw them, by day: the PR of the text and the thread's root. */
export interface Reminder {
  readonly day: number;
  readonly text: string;
  readonly thread: string;
}

/** Plays the week of fixtures/week/README.md; gives the reminders that Slack got. `dayEnded` looks at each evening. */
export const playWeek = async (team: Team, dayEnded: (day: number) => void): Promise<ReadonlyArray<Reminder>> => {
  const reminders: Reminder[] = [];
  let seen = 0;
  const endDay = (): void => {
    const writes = team.slack.writes();
    for (const { method, args } of writes.slice(seen)) {
      if (method !== "chat.postMessage" || args.thread_ts === undefined)
        throw new Error(`adk wrote ${method} to Slack`);
      reminders.push({ day: team.today, text: args.text ?? "", thread: args.thread_ts });
    }
    seen = writes.length;
    dayEnded(team.today);
    team.today += 1;
  };
  const shop = (n: number): string => team.url("shop", n);
  const bff = (n: number): string => team.url("bff", n);
  const jobs = (n: number): string => team.url("jobs", n);
  const weeksAgo = Math.floor(Date.now() / 1000) - 20 * 86_400;

  // Monday
  team.say("old", `has anybody time for ${bff(11)}?`, { at: weeksAgo });
  team.say("m1", `please <${shop(1)}|have a look>`);
  team.say("m2", `two: ${shop(2)} and ${shop(3)}`);
  team.say("m3", "reviews, please");
  team.say("m3a", `<${bff(1)}/files> and ${bff(2)}#issuecomment-1`, { below: "m3" });
  team.say("m4", "this one", { attachments: [{ from_url: shop(4), title: "Change 4", text: `like ${shop(7)}` }] });
  team.say("m5", `\`\`\`${shop(5)}\`\`\``);
  team.say("m6", `<https://evil.invalid/x|${shop(6)}>`);
  team.say("m7", `again: ${shop(1)}/commits?w=1.`);
  team.say("own", `by adk: ${shop(7)}`, { user: "U0ADK", bot: "B0ADK" });
  team.say("j1", `from outside: ${jobs(1)} https://docs.google.com/document/d/1/edit`, { user: "U9STRANGER" });
  team.say("j2", `${jobs(2)} ${jobs(3)}/diff ${jobs(4)}`);
  for (const n of [8, 9, 10, 11, 12]) team.say(`m${n}`, shop(n));
  for (const n of [3, 4, 5]) team.say(`b${n}`, bff(n));
  team.say("b5a", "on it", { below: "b5", user: "U0OTTO" });
  team.say("b6", `${bff(6)} ${bff(7)} ${bff(8)}`);
  await team.sync();
  await team.review("shop#1", "comments");
  await team.review("shop#2", "comments");
  await team.review("shop#3", "approved");
  await team.review("bff#1", "reviewed");
  await team.review("bff#2", "comments");
  endDay();

  // Tuesday
  team.push("shop#4", "pushed");
  team.push("bff#3", "forced");
  team.change("shop#5", { state: "merged" });
  team.change("shop#8", { state: "closed" });
  team.change("bff#4", { target: "release" });
  team.edit("m2", { text: `one: ${shop(2)}`, edited: true });
  team.edit("b5", { deleted: true });
  team.say("t13", `${shop(13)} ${shop(14)} ${shop(15)}`);
  team.say("t9", `${bff(9)} and ${bff(10)}`);
  team.say("j5", `${jobs(5)} ${jobs(6)} ${jobs(7)}`);
  team.github.behave({ times: 1000, does: { kind: "raw", status: 503, body: "<html>Service Unavailable</html>" } });
  await team.sync();
  team.github.calm();
  await team.sync();
  endDay();

  // Wednesday
  team.push("shop#1", "pushed");
  team.bffName = "web-bff";
  team.change("jobs#1", { state: "merged" });
  team.change("shop#8", { state: "open" });
  team.change("shop#16", { draft: true });
  team.say("w16", `not yet: ${shop(16)}`);
  team.slack.behave("conversations.history", { kind: "limited", retryAfter: 1 }, 1000);
  team.github.behave({
    operation: "graphql",
    times: 1000,
    does: {
      kind: "answer",
      status: 403,
      headers: { "retry-after": "1" },
      body: { message: "You have exceeded a secondary rate limit." },
    },
  });
  await team.sync();
  team.slack.calm();
  team.github.calm();
  await team.sync();
  team.slack.behave("*", { kind: "page", status: 503 }, 1000);
  await team.sync();
  team.slack.calm();
  endDay();

  // Thursday
  team.change("shop#16", { draft: false });
  team.change("jobs#3", { state: "declined" });
  team.change("bff#6", { forkDeleted: true });
  team.change("shop#10", { autoMerge: true });
  team.say("olda", "still open", { below: "old", user: "U0OTTO" });
  await team.sleepDuringSync(() => team.change("shop#9", { state: "merged" }));
  await team.sync();
  endDay();

  // Friday
  await team.review("shop#2", "approved", true);
  team.bitbucket.behave({ kind: "status", status: 503, body: "" }, 1000);
  await team.sync();
  team.bitbucket.calm();
  await team.sync();
  endDay();
  return reminders;
};
