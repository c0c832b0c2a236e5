import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type CliHome, cliHome } from "../cli/support/queueHome.ts";

let home: CliHome;
beforeEach(() => {
  home = cliHome();
  mkdirSync(join(home.data, "config", "connectors"), { recursive: true, mode: 0o700 });
});
afterEach(() => home.remove());

describe("connectors/slack.md", () => {
  it("is refused by name when its front matter never ends, whatever core.yaml says", async () => {
    const file = join(home.data, "config", "connectors", "slack.md");
    writeFileSync(file, "---\npr_reviews:\n  filter_mentioned_users: [U0123456789]\n", { mode: 0o600 });
    const { code, stderr } = await home.run(["pr-scan", "--channels-only", "#reviews"], {
      SLACK_API_URL: "http://127.0.0.1:9/api/",
      SLACK_BOT_TOKEN: "xoxb-123456789012-abcdefghijkl",
    });
    expect(code).toBe(3);
    expect(stderr).toContain(`${file}:1: the front matter that begins here has no --- line at its end`);
  });
});
