import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect } from "vitest";
import { type HostedHome, hostedHome } from "../../../cases/support/hosted.ts";
import { type FakeSlack, startFakeSlack } from "../../../fakes/slack/startFakeSlack.ts";
import { allScopes, type FakeChannel, type FakeMessage, type FakeSlackState } from "../../../fakes/slack/state.ts";

export const slackToken = "xoxb-123456789012-abcdefghijkl";
export const channelId = "C0REVIEWS";

const now = Math.floor(Date.now() / 1000);

/** A Slack time stamp that many hours ago. */
export const hoursAgo = (hours: number, micros = 100): string =>
  `${now - Math.round(hours * 3600)}.${String(micros).padStart(6, "0")}`;

export const message = (ts: string, text: string, over: Partial<FakeMessage> = {}): FakeMessage => ({
  ts,
  user: "U0OTTO",
  text,
  ...over,
});

/** Address of a PR of acme/shop. */
export const url = (number: number): string => `https://github.com/acme/shop/pull/${number}`;

/** What "Copy link" gives for a message in `#reviews`. */
export const permalink = (ts: string, workspace = "acme.slack.com"): string =>
  `https://${workspace}/archives/${channelId}/p${ts.replace(".", "")}`;

/** A hosted data home with a Slack workspace beside it, and `#reviews` configured as its channel. */
export interface SlackHome extends HostedHome {
  readonly slack: FakeSlack;
  readonly say: (messages: ReadonlyArray<FakeMessage>, channel?: Partial<FakeChannel>) => void;
  readonly change: (edit: (messages: ReadonlyArray<FakeMessage>) => ReadonlyArray<FakeMessage>) => void;
  /** Bytes of the queue file. */
  readonly bytes: () => Buffer;
  /** Writes connectors/slack.md. */
  readonly connector: (text: string | Buffer) => void;
  /** Slack's channels as connectors/slack.md or core.yaml name them: core.yaml says nothing of Slack any more. */
  readonly unsetChannels: () => void;
  readonly row: (
    number: number,
  ) => Promise<{ readonly slack: unknown; readonly slack_threads: unknown } & Record<string, unknown>>;
}

const workspace = (channels: ReadonlyArray<FakeChannel>): FakeSlackState => ({
  team: { id: "T1", domain: "acme" },
  tokens: [{ token: slackToken, user: "U0ADK", bot: "B0ADK", scopes: allScopes }],
  channels,
});

export const slackHome = async (): Promise<SlackHome> => {
  const home = await hostedHome();
  const slack = await startFakeSlack({ state: workspace([]), rated: true });
  const env = { SLACK_API_URL: slack.url, SLACK_BOT_TOKEN: slackToken };
  const coreYaml = join(home.data, "config", "core.yaml");
  mkdirSync(join(home.data, "config"), { recursive: true, mode: 0o700 });
  writeFileSync(coreYaml, 'slack:\n  channels: ["#reviews"]\n', { mode: 0o600 });
  const run: SlackHome["run"] = (args, more = {}) => home.run(args, { ...env, ...more });
  const json: SlackHome["json"] = (args, more = {}) => home.json(args, { ...env, ...more });
  return {
    ...home,
    run,
    json,
    slack,
    say: (messages, channel = {}) =>
      slack.setState(workspace([{ id: channelId, name: "reviews", messages, ...channel }])),
    change: (edit) => {
      const { channels } = slack.state();
      slack.setState(workspace(channels.map((one) => ({ ...one, messages: edit(one.messages) }))));
    },
    bytes: () => readFileSync(join(home.data, "config", "pr-queue.json5")),
    connector: (text) => {
      mkdirSync(join(home.data, "config", "connectors"), { recursive: true });
      writeFileSync(join(home.data, "config", "connectors", "slack.md"), text);
    },
    unsetChannels: () => writeFileSync(coreYaml, ""),
    row: async (number) => (await json(["pr-queue", "show", home.url(number)])).body,
    close: async () => {
      await slack.close();
      await home.close();
    },
  };
};

/** Opens PRs 1 to `count` of acme/shop, each with one commit of its own on main. */
const openPulls = (home: SlackHome, count: number): void => {
  const main = home.repo.commit({ message: "Start", files: { "a.ts": "export const a = 1;\n" } });
  home.pulls(
    Array.from({ length: count }, (_, at) => at + 1).map((number) => ({
      number,
      head: `c${number}`,
      headSha: home.repo.commit({
        branch: `c${number}`,
        from: main,
        message: `Change ${number}`,
        files: { "a.ts": `export const a = ${number + 1};\n` },
      }),
      base: "main",
    })),
  );
};

/**
 * Gives each test of a file a home of its own with that many open PRs, and closes it; a request that Slack's
 * documentation does not allow fails the test.
 */
export const eachWithSlackHome = (options: { readonly pulls: number }, use: (home: SlackHome) => void): void => {
  let home: SlackHome;
  beforeEach(async () => {
    home = await slackHome();
    openPulls(home, options.pulls);
    use(home);
  });
  afterEach(async () => {
    const { violations } = home.slack;
    await home.close();
    expect(violations).toEqual([]);
  });
};
