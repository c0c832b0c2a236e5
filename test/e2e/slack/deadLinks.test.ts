import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import {
  channelId,
  eachWithSlackHome,
  hoursAgo,
  message,
  permalink,
  type SlackHome,
  url,
} from "./support/slackHome.ts";

let home: SlackHome;
eachWithSlackHome({ pulls: 2 }, (made) => {
  home = made;
});
afterEach(() => expect(home.slack.writes()).toEqual([]));

const memory = (): string => join(home.data, "cache", "dead-links.json");

/** Requests to GitHub since the last call. */
const asked = (() => {
  let seen = 0;
  return (): number => {
    const before = seen;
    seen = home.fake.ledger.length;
    return seen >= before ? seen - before : seen;
  };
})();

describe("a link in Slack to a PR that does not exist", () => {
  it("is said once, makes no scan fail, and is not looked up at every scan", async () => {
    const ts = hoursAgo(3);
    home.say([message(ts, `${url(1)} and ${url(77)}`)]);
    const first = await home.json(["pr-scan"]);
    expect(first.code).toBe(0);
    expect(first.body).toMatchObject({ found: 2, added: [{ pr_url: url(1) }], failed: [] });
    const link = {
      pr_url: url(77),
      why: expect.stringContaining("github.com shows no acme/shop#77"),
      channel_id: channelId,
      message_ts: ts,
      permalink: permalink(ts),
      looked_up_at: expect.stringMatching(/Z$/),
    };
    expect(first.body.dead_links).toEqual([{ ...link, is_news: true }]);
    expect(first.stderr).toMatch(
      /^warning: dead link \S+\/pull\/77 in \S+: github\.com shows no .*adk pr-queue add \S+\n$/,
    );
    asked();
    const second = await home.json(["pr-scan"]);
    expect(second).toMatchObject({ code: 0, stderr: "", body: { found: 2, existing: [url(1)], failed: [] } });
    expect(second.body.dead_links).toEqual([
      { ...link, looked_up_at: first.body.dead_links[0].looked_up_at, is_news: false },
    ]);
    expect(asked()).toBe(0);
    expect((await home.run(["pr-scan"])).stdout).toBe(
      "1 message in 1 thread of 1 channel: 2 PRs found, 0 added, 0 with other threads, 0 skipped, 1 dead link, 0 failed\n",
    );
  });

  it("is looked up again when its message is edited, when another message names it, and after a day", async () => {
    const ts = hoursAgo(3);
    home.say([message(ts, url(77))]);
    expect((await home.json(["pr-scan"])).body.dead_links).toHaveLength(1);
    asked();
    home.change((messages) => messages.map((one) => ({ ...one, text: `see ${url(77)}`, edited: true })));
    expect((await home.json(["pr-scan"])).body.dead_links).toMatchObject([{ is_news: true }]);
    expect(asked()).toBeGreaterThan(0);
    home.change((messages) => [...messages, message(hoursAgo(1), url(77), { thread: ts })]);
    expect((await home.json(["pr-scan"])).body.dead_links).toMatchObject([{ is_news: true }]);
    expect(asked()).toBeGreaterThan(0);
    home.change((messages) => [...messages, message(hoursAgo(0.5), "ok", { thread: ts })]);
    await home.json(["pr-scan"]);
    expect(asked()).toBe(0);
    const { links } = JSON.parse(readFileSync(memory(), "utf8"));
    expect(links).toHaveLength(1);
    const dayAgo = `${new Date(Date.now() - 24.1 * 3_600_000).toISOString().slice(0, 19)}Z`;
    writeFileSync(memory(), JSON.stringify({ schema_version: 1, links: [{ ...links[0], looked_up_at: dayAgo }] }));
    const again = await home.json(["pr-scan"]);
    expect(again).toMatchObject({ code: 0, stderr: "", body: { dead_links: [{ is_news: false }] } });
    expect(asked()).toBeGreaterThan(0);
  });

  it("is queued once it is there, and forgotten as a dead one; its own URL is looked up at any time", async () => {
    home.say([message(hoursAgo(3), `${url(3)} ${url(4)}`)]);
    expect((await home.json(["pr-scan"])).body.dead_links).toHaveLength(2);
    const head = (number: number) => ({ number, head: "c1", headSha: home.repo.sha("c1"), base: "main" });
    home.pulls([head(3), head(4)]);
    expect((await home.json(["pr-scan"])).body).toMatchObject({ added: [], dead_links: [{}, {}] });
    expect((await home.json(["pr-queue", "add", url(4)])).body.added).toHaveLength(1);
    home.change((messages) => messages.map((one) => ({ ...one, text: `now ${one.text}`, edited: true })));
    expect((await home.json(["pr-scan"])).body).toMatchObject({ added: [{ pr_url: url(3) }], dead_links: [] });
    expect(JSON.parse(readFileSync(memory(), "utf8")).links).toEqual([]);
  });

  it("is looked up again as soon as there is another token", async () => {
    home.say([message(hoursAgo(3), url(77))]);
    const token = { GITHUB_TOKEN: "ghp_Dead0Link1Token2Of3This4Test" };
    home.fake.setState({
      users: [
        { login: "grace", id: 7 },
        { login: "acme", id: 8 },
      ],
      tokens: [{ token: token.GITHUB_TOKEN, login: "grace" }],
      repositories: [{ id: 501, owner: "acme", name: "shop", pulls: [] }],
    });
    expect((await home.json(["pr-scan"])).body.dead_links).toMatchObject([{ is_news: true }]);
    expect((await home.json(["pr-scan"], token)).body.dead_links).toMatchObject([{ is_news: true }]);
    asked();
    expect((await home.json(["pr-scan"], token)).body.dead_links).toMatchObject([{ is_news: false }]);
    expect(asked()).toBe(0);
    expect(readFileSync(memory(), "utf8")).not.toContain(token.GITHUB_TOKEN);
  });

  it("is nothing that a dry run remembers, and a memory that cannot be read is begun anew", async () => {
    home.say([message(hoursAgo(3), url(77))]);
    for (const _ of [1, 2])
      expect((await home.json(["pr-scan", "--dry-run"])).body.dead_links).toMatchObject([{ is_news: true }]);
    await home.json(["pr-scan"]);
    writeFileSync(memory(), "{ broken");
    const broken = await home.json(["pr-scan"]);
    expect(broken).toMatchObject({ code: 0, body: { dead_links: [{ is_news: true }] } });
    expect(broken.stderr).toContain("cannot read dead-links.json");
    expect((await home.json(["pr-scan"])).body.dead_links).toMatchObject([{ is_news: false }]);
  });

  it("is told from a PR that could not be asked for: an outage and a refusal are failures", async () => {
    home.say([message(hoursAgo(3), url(2))]);
    for (const [status, text] of [
      [503, "<html>"],
      [403, JSON.stringify({ message: "Resource not accessible by personal access token" })],
    ] as const) {
      home.fake.behave({ times: 10, does: { kind: "raw", status, body: text } });
      const down = await home.json(["pr-scan"]);
      expect(down).toMatchObject({ code: 1, body: { dead_links: [], failed: [{ pr_url: url(2) }] } });
      home.fake.calm();
    }
    const back = await home.json(["pr-scan"]);
    expect(back).toMatchObject({ code: 0, body: { added: [{ pr_url: url(2) }], failed: [] } });
  });

  it("is a warning of a sync that goes on, once", async () => {
    home.say([message(hoursAgo(3), url(77))]);
    expect((await home.json(["pr-sync"])).stderr).toContain("dead link");
    const second = await home.json(["pr-sync"]);
    expect(second.code).toBe(0);
    expect(second.stderr).not.toContain("dead link");
  });
});
