import { afterEach, describe, expect, it } from "vitest";
import { eachWithSlackHome, hoursAgo, message, type SlackHome, url } from "./support/slackHome.ts";

let home: SlackHome;
eachWithSlackHome({ pulls: 2 }, (made) => {
  home = made;
});
afterEach(() => expect(home.slack.writes()).toEqual([]));

describe("connectors/slack.md", () => {
  it("gives channels and filter where core.yaml says nothing, and a wrong type its line", async () => {
    home.say([message(hoursAgo(2), `<@U0MARA> ${url(1)}`), message(hoursAgo(1), url(2))]);
    home.unsetChannels();
    home.connector(
      "---\nname: Slack\npr_reviews:\n  channels: ['#reviews']\n  url_patterns:\n    - https://github.com\n  filter_mentioned_users: [U0MARA]\n---\n# Notes\n",
    );
    const { body, stderr } = await home.json(["pr-scan"]);
    expect(body.added).toEqual([{ pr_url: url(1), status: "pending" }]);
    expect(stderr).toBe("");
    home.connector(
      "---\npr_reviews:\n  channels: ['#reviews']\n  url_patterns:\n    - https://github\\.com/.*\n    - https://git.example/x\n---\n",
    );
    expect((await home.json(["pr-scan"])).stderr).toMatch(
      /^[^\n]*slack\.md:6: links to git\.example are not read[^\n]*\n$/,
    );
    home.connector("---\npr_reviews:\n  channels: reviews\n---\n");
    expect(await home.json(["pr-scan"])).toMatchObject({
      code: 3,
      body: { error: { message: expect.stringMatching(/slack\.md:3: pr_reviews\.channels must be a list of texts/) } },
    });
    home.connector("---\npr_reviews:\n  channels: ['#reviews']\n  chanels: [x]\n---\n");
    expect((await home.json(["pr-scan"])).stderr).toMatch(/slack\.md:4: .*chanels.*channels/);
  });

  it("is an error with line and remedy where it is of the wrong kind or cannot count", async () => {
    const section = "pr_reviews:\n  channels: ['#reviews']\n";
    const table: ReadonlyArray<readonly [text: string | Buffer, message: RegExp]> = [
      ["---\n- '#reviews'\n---\n", /slack\.md:2: the front matter must be a map with the key pr_reviews, not a list;/],
      ["---\n\njust words\n---\n", /slack\.md:3: the front matter must be a map with the key pr_reviews, not text;/],
      ["---\npr_reviews:\n- '#reviews'\n---\n", /slack\.md:2: pr_reviews must be a map, not a list/],
      ["---\npr_reviews: '#reviews'\n---\n", /slack\.md:2: pr_reviews must be a map, not the text/],
      [`---\n${section}`, /slack\.md:1: the front matter that begins here has no --- line at its end/],
      [`# Notes\n${section}`, /slack\.md:2: pr_reviews stands in no front matter/],
      [`---\n${section}${section}---\n`, /slack\.md:4: the key pr_reviews is given twice/],
      ["---\n{pr_reviews: {channels: [x]}}\n---\n", /slack\.md:2: write pr_reviews: at the beginning of a line/],
      ["---\na: [1\nb: 2\n---\n", /slack\.md:[234]: \S/],
      [
        Buffer.concat([Buffer.from(`---\n${section}`), Buffer.from([0xff, 0xfe])]),
        /slack\.md:4: is no text: byte 0xff/,
      ],
      [Buffer.from("---\npr_reviews:\n\0\n---\n"), /slack\.md:3: is no text: byte 0x00/],
      [`---\n${section}---\n${"x".repeat(256 * 1024)}`, /slack\.md: has 262\d{3} bytes, more than 262144/],
    ];
    for (const [text, message] of table) {
      home.connector(text);
      const { code, body } = await home.json(["pr-scan"]);
      expect({ code, message: body.error?.message }).toEqual({ code: 3, message: expect.stringMatching(message) });
      expect(body.error.hint).toMatch(/core\.yaml/);
    }
    expect(home.slack.ledger).toEqual([]);
  });

  it("is a warning with its line where it says nothing to adk, and the scan goes on", async () => {
    home.say([message(hoursAgo(2), url(1))]);
    const table: ReadonlyArray<readonly [text: string, warning: RegExp]> = [
      [
        "- '#reviews'\n- '#more'\n",
        /slack\.md:1: there is no front matter, so nothing in this file counts; begin it with a --- line/,
      ],
      ["---\nname: Slack\n---\n", /slack\.md:1: the front matter has no pr_reviews section/],
      ["---\n# empty\n---\n", /slack\.md:1: the front matter has no pr_reviews section/],
      [
        "---\nname: Slack\npr_review:\n  channels: [x]\n---\n",
        /slack\.md:3: unknown key pr_review \(did you mean pr_reviews\?\)/,
      ],
      [
        "---\nchannels: ['#x']\n---\n",
        /slack\.md:2: the key channels does not count here; indent it below a line pr_reviews:/,
      ],
    ];
    for (const [text, warning] of table) {
      home.connector(text);
      const { code, stderr } = await home.json(["pr-scan"]);
      expect({ code, stderr }).toEqual({ code: 0, stderr: expect.stringMatching(warning) });
      expect(stderr.split("\n")).toHaveLength(2);
    }
    home.connector("\n \n");
    expect(await home.json(["pr-scan"])).toMatchObject({ code: 0, stderr: "" });
  });

  it("is looked at by doctor, with a token and without", async () => {
    type Check = { readonly name: string; readonly status: string; readonly detail: string };
    const found = async (token: string): Promise<ReadonlyArray<Check>> => {
      const { body } = await home.json(["doctor"], token === "" ? { SLACK_BOT_TOKEN: "" } : {});
      return body.checks.filter(({ name }: Check) => name === "slack settings");
    };
    for (const token of ["", "theirs"]) {
      home.connector("---\npr_reviews:\n  channels: reviews\n---\n");
      expect(await found(token)).toMatchObject([{ status: "fail", detail: expect.stringMatching(/slack\.md:3: /) }]);
      home.connector("---\nchanels: []\nchannels: []\n---\n");
      expect(await found(token)).toMatchObject([{ status: "warn", detail: expect.stringMatching(/slack\.md:3: /) }]);
    }
  });

  it("never wins over what core.yaml says, also where that is the default", async () => {
    home.say([message(hoursAgo(24 * 10), url(1)), message(hoursAgo(1), url(2))]);
    home.connector(
      "---\npr_reviews:\n  channels: ['#reviews']\n  scan_days_default: 2\n  filter_mentioned_users: [U0NOBODY]\n---\n",
    );
    home.unsetChannels();
    const dry = ["pr-scan", "--dry-run"];
    expect((await home.json(dry)).body).toMatchObject({ scanned: { threads: 1 }, found: 0 });
    await home.run(["config", "set", "slack.filter_users", "[]"]);
    expect((await home.json(dry)).body).toMatchObject({ scanned: { threads: 1 }, found: 1 });
    await home.run(["config", "set", "slack.scan_days_default", "14"]);
    expect((await home.json(dry)).body).toMatchObject({ scanned: { threads: 2 }, found: 2 });
    await home.run(["config", "set", "slack.channels", "[]"]);
    expect(await home.json(dry)).toMatchObject({ code: 2, body: { error: { tag: "SlackNotConfigured" } } });
  });
});
