import { describe, expect, it } from "vitest";
import { channelId, eachWithSlackHome, hoursAgo, message, type SlackHome, url } from "./support/slackHome.ts";

let home: SlackHome;
eachWithSlackHome({ pulls: 2 }, (made) => {
  home = made;
});

const at = (hours: number): string => `${new Date(Date.now() - hours * 3_600_000).toISOString().slice(0, 19)}Z`;

/** Two rows found in Slack, PR 1 in two threads, both reviewed that many hours ago at their heads. */
const reviewed = async (hours: number): Promise<ReadonlyArray<string>> => {
  const threads = [hoursAgo(90), hoursAgo(80)];
  home.say([message(threads[0] ?? "", url(1)), message(threads[1] ?? "", `${url(1)} ${url(2)}`)]);
  await home.json(["pr-scan"]);
  const { prs } = (await home.json(["pr-queue", "list"])).body;
  home.write(
    prs.map(({ ready_for_review: _, lock: __, ...row }: Record<string, unknown>) => ({
      ...row,
      status: "comments",
      last_reviewed_at: at(hours),
      last_reviewed_head_sha: row.head_sha,
      last_reviewed_base_ref: "main",
    })),
  );
  return threads;
};

const posted = () => home.slack.writes().map(({ args }) => `${args.channel}/${args.thread_ts}`);

describe("adk pr-queue remind", () => {
  it("reminds every thread of a reviewed and unchanged PR once a day, and leaves the status alone", async () => {
    const [first, second] = await reviewed(25);
    const { code, body } = await home.json(["pr-queue", "remind"]);
    expect(code).toBe(0);
    expect(body.reminded).toEqual([
      { pr_url: url(1), channel_id: channelId, thread_ts: first },
      { pr_url: url(1), channel_id: channelId, thread_ts: second },
      { pr_url: url(2), channel_id: channelId, thread_ts: second },
    ]);
    expect(posted()).toEqual([`${channelId}/${first}`, `${channelId}/${second}`, `${channelId}/${second}`]);
    expect(home.slack.writes()[0]?.args.text).toBe(
      `:alarm_clock: <${url(1)}> (Change 1) was reviewed 25 hours ago and has not changed since. Please address the comments, or merge it.`,
    );
    const row = await home.row(1);
    expect(row.status).toBe("comments");
    expect(row.last_reminded_at).toMatch(/^\d{4}-/);
    expect((await home.json(["pr-queue", "remind"])).body).toMatchObject({
      reminded: [],
      skipped: [
        { pr_url: url(1), why: "was reminded a short while ago" },
        { pr_url: url(2), why: "was reminded a short while ago" },
      ],
    });
    // The reminders themselves name the PRs and are no new requests.
    expect((await home.json(["pr-scan"])).body.updated).toEqual([]);
    expect(posted()).toHaveLength(3);
  });

  it.each([
    ["before anything was posted", "remind.posting:2:kill", 1],
    ["after the post and before its stamp", "remind.posted:1:kill", 1],
    ["after a later post", "remind.posted:3:kill", 3],
  ])("posts nothing twice when it is killed %s", async (_, fault, before) => {
    await reviewed(30);
    expect((await home.run(["pr-queue", "remind"], { NODE_ENV: "test", ADK_FAULT: fault })).signal).toBe("SIGKILL");
    expect(posted()).toHaveLength(before);
    expect((await home.json(["pr-queue", "remind"])).code).toBe(0);
    expect(posted()).toHaveLength(3);
    expect(new Set(home.slack.writes().map(({ args }) => `${args.thread_ts} ${args.text}`)).size).toBe(3);
  });

  it("is sent once by two runs at once, and said by the one that sent it", async () => {
    await reviewed(30);
    home.slack.behave("conversations.replies", { kind: "late", ms: 700 }, 3);
    const ends = await Promise.all([1, 2, 3].map(() => home.json(["pr-queue", "remind"])));
    expect(ends.map(({ code, stderr }) => [code, stderr])).toEqual([1, 2, 3].map(() => [0, ""]));
    expect(posted()).toHaveLength(3);
    expect(new Set(posted()).size).toBe(2);
    type Named = { readonly pr_url: string; readonly channel_id: string; readonly thread_ts: string };
    const said = ends.flatMap(({ body }) => body.reminded as ReadonlyArray<Named>);
    expect(said.map(({ pr_url, thread_ts }) => `${thread_ts} ${pr_url}`).sort()).toEqual(
      home.slack
        .writes()
        .map(({ args }) => `${args.thread_ts} ${/<([^>]+)>/.exec(args.text ?? "")?.[1]}`)
        .sort(),
    );
    for (const { body } of ends) {
      const rows = new Set([...body.reminded, ...body.skipped].map(({ pr_url }: Named) => pr_url));
      expect([...rows].sort()).toEqual([url(1), url(2)]);
      expect(body.failed).toEqual([]);
    }
  });

  it("is not said to be sent by a run that only found the reminder of one that was killed", async () => {
    await reviewed(30);
    await home.run(["pr-queue", "remind"], { NODE_ENV: "test", ADK_FAULT: "remind.posted:1:kill" });
    const { body } = await home.json(["pr-queue", "remind"]);
    expect(posted()).toHaveLength(3);
    expect(body.reminded).toHaveLength(2);
    expect(body.skipped).toEqual([{ pr_url: url(1), why: "has this reminder already, by a run that did not end" }]);
  });

  it("counts one of anything in the singular", async () => {
    await reviewed(1);
    const { stdout } = await home.run(["pr-queue", "remind", "--threshold-hours", "1"]);
    expect(stdout.split("\n")[0]).toBe("3 threads reminded, 0 rows not due, 0 failed");
    expect(home.slack.writes()[0]?.args.text).toContain("was reviewed 1 hour ago");
    home.write([]);
    home.say([message(hoursAgo(80), url(2))]);
    await home.json(["pr-scan"]);
    expect((await home.run(["pr-queue", "remind"])).stdout).toBe("0 threads reminded, 1 row not due, 0 failed\n");
  });

  it("reminds nobody of what was merged or pushed to meanwhile, and of nothing when its host is silent", async () => {
    await reviewed(30);
    home.pulls([
      { number: 1, head: "c1", headSha: home.repo.sha("c1"), base: "main", mergedAt: "2026-01-02T00:00:00Z" },
      {
        number: 2,
        head: "c2",
        headSha: home.repo.commit({ branch: "c2", message: "More", files: { "b.ts": "export const b = 1;\n" } }),
        base: "main",
      },
    ]);
    expect((await home.json(["pr-queue", "remind"])).body).toMatchObject({
      reminded: [],
      skipped: [
        { pr_url: url(1), why: "is merged" },
        { pr_url: url(2), why: "has changed since its review" },
      ],
    });
    await reviewed(30);
    home.fake.behave({ times: 10, does: { kind: "raw", status: 503, body: "<html>" } });
    const down = await home.json(["pr-queue", "remind"]);
    expect(down.code).toBe(1);
    expect(down.body.failed.length).toBeGreaterThan(0);
    expect(posted()).toEqual([]);
  });

  it("says with --dry-run whom it would remind, without a token and without asking", async () => {
    await reviewed(30);
    const { body } = await home.json(["pr-queue", "remind", "--dry-run"], { SLACK_BOT_TOKEN: "" });
    expect(body).toMatchObject({ dry_run: true, reminded: [{}, {}, {}] });
    expect(posted()).toEqual([]);
    expect((await home.json(["pr-queue", "remind"], { SLACK_BOT_TOKEN: "" })).body.error.tag).toBe(
      "SlackNotConfigured",
    );
    expect((await home.json(["pr-queue", "remind", "--threshold-hours", "48"])).body.reminded).toEqual([]);
  });

  it("goes on past a thread whose message is gone, says so once, and lets no title become markup", async () => {
    const [first] = await reviewed(30);
    home.change((messages) => messages.filter(({ ts }) => ts !== first));
    const { code, body } = await home.json(["pr-queue", "remind"]);
    expect(code).toBe(1);
    expect(body.reminded).toHaveLength(2);
    expect(body.failed).toEqual([{ pr_url: url(1), error: expect.stringContaining("is gone") }]);
    expect((await home.json(["pr-queue", "remind"])).body).toMatchObject({ reminded: [], failed: [] });
    for (const { args } of home.slack.writes()) expect(args.text).not.toMatch(/<(?!https:\/\/github\.com)/);
  });

  it("is part of pr-sync, and --no-remind leaves it out", async () => {
    await reviewed(30);
    await home.json(["pr-sync", "--no-prepare", "--no-remind"]);
    expect(posted()).toEqual([]);
    await home.json(["pr-sync", "--no-prepare"]);
    expect(posted()).toHaveLength(3);
  });
});
