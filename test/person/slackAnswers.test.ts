import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { withPause } from "../../effects/slack/caller.ts";
import { type CliHome, cliHome } from "../cli/support/queueHome.ts";

let home: CliHome;
let server: Server;
let retryAfter: string | null;
beforeEach(async () => {
  home = cliHome();
  server = createServer((request, answer) => {
    request.resume();
    answer.writeHead(429, retryAfter === null ? {} : { "retry-after": retryAfter });
    answer.end("{}");
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
});
afterEach(() => {
  server.closeAllConnections();
  server.close();
  home.remove();
});

const scan = async () => {
  const { port } = server.address() as AddressInfo;
  const env = { SLACK_API_URL: `http://127.0.0.1:${port}/api/`, SLACK_BOT_TOKEN: "xoxb-123456789012-abcdefghijkl" };
  const started = Date.now();
  const { code, stderr } = await home.run(["pr-scan", "--channels-only", "#reviews"], env);
  const until = /^error: Slack limits the rate of requests until (\S+) — run it again after that\n$/.exec(stderr)?.[1];
  return { code, until, seconds: (Date.parse(until ?? "") - started) / 1000 };
};

describe("a 429 of Slack", () => {
  it.each([
    ["an endless Retry-After", "9".repeat(20)],
    ["a Retry-After of a year", "31536000"],
  ])("with %s stops for a day", async (_, value) => {
    retryAfter = value;
    const { code, seconds } = await scan();
    expect(code).toBe(1);
    expect(seconds).toBeGreaterThan(86_300);
    expect(seconds).toBeLessThan(86_500);
  });

  it.each([[null], ["Wed, 21 Oct 2099 07:28:00 GMT"], ["-5"], [""]])(
    "that says %s is a limit of half a minute",
    (value) => {
      const headers = new Headers(value === null ? {} : { "retry-after": value });
      expect(withPause(new Response("{}", { status: 429, headers })).headers.get("retry-after")).toBe("30");
    },
  );
});
