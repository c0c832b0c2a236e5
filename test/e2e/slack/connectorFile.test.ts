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
    await home.run(["config", "set", "slack.channels", "[]"]);
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
});
