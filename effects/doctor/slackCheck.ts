import * as Effect from "effect/Effect";
import * as Either from "effect/Either";
import type { Failure } from "../../src/errors.ts";
import type { SlackSettings } from "../connectors/slackSettings.ts";
import { slackToken } from "../slack/caller.ts";
import { type Check, count, type Finding, fail, pass, warn } from "./finding.ts";

/** Scopes and what is missing without them; of the two `history` and `read` pairs the second is for private channels. */
const uses: ReadonlyArray<readonly [string, string]> = [
  ["channels:history", "public channels cannot be read"],
  ["channels:read", "channels cannot be found by name"],
  ["groups:history", "private channels cannot be read"],
  ["groups:read", "private channels cannot be found by name"],
  ["chat:write", "reminders cannot be posted"],
];

const scopeFindings = (scopes: ReadonlyArray<string>): ReadonlyArray<Finding> => {
  // A token whose answer names no scopes says nothing about them.
  if (scopes.length === 0) return [];
  const missing = uses.filter(([scope]) => !scopes.includes(scope));
  if (missing.length === 0) return [pass("slack scopes", "all that scanning and reminding need")];
  const what = missing.map(([scope, without]) => `${scope} (${without})`).join(", ");
  const fix = `add ${missing.map(([scope]) => scope).join(", ")} under OAuth & Permissions of the app, and reinstall it`;
  return [warn("slack scopes", `the token lacks ${what}`, fix)];
};

/** What is wrong with connectors/slack.md, whether there is a token or not. */
const fileFindings = (read: Either.Either<SlackSettings, Failure>): ReadonlyArray<Finding> => {
  if (Either.isLeft(read)) return [fail("slack settings", read.left.message, read.left.hint)];
  return read.right.warnings.map((warning) => warn("slack settings", warning, "edit that file, or move it away"));
};

/** Whether Slack takes the token, what the token may do, and whether each configured channel can be read. */
export const slackCheck: Check = {
  name: "slack",
  run: (input) =>
    Effect.gen(function* () {
      const settings = yield* Effect.either(input.slackSettings);
      const file = fileFindings(settings);
      if (slackToken(input.env) === null) return [pass("slack", "not configured: no token"), ...file];
      const asked = yield* Effect.either(input.slackIdentity);
      if (Either.isLeft(asked)) return [fail("slack", asked.left.message, asked.left.hint), ...file];
      if (Either.isLeft(settings))
        return [pass("slack", "the token is accepted"), ...scopeFindings(asked.right.scopes), ...file];
      const found = yield* Effect.either(input.slackChannels);
      const outcomes = Either.isRight(found) ? [...found.right] : [];
      const broken = outcomes.flatMap(([name, outcome]) =>
        Either.isLeft(outcome) ? [warn(`slack ${name}`, outcome.left.message, outcome.left.hint)] : [],
      );
      const readable = outcomes.length - broken.length;
      const channels =
        outcomes.length === 0 && Either.isRight(found)
          ? [warn("slack channels", "none is configured", "adk config set slack.channels '[\"#reviews\"]'")]
          : [];
      return [
        pass("slack", `the token is accepted; ${count(readable, "channel")} found`),
        ...scopeFindings(asked.right.scopes),
        ...channels,
        ...(Either.isLeft(found) ? [warn("slack channels", found.left.message, found.left.hint)] : []),
        ...broken,
        ...file,
      ];
    }),
};
