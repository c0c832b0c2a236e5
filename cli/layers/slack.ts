import * as Layer from "effect/Layer";
import { layer as slackLayer } from "../../effects/slack/Slack.ts";
import { queuePlatformLayer } from "./queuePlatform.ts";

/** What verbs need that read or write Slack besides rows and hosts. Slack's client itself loads at its first call. */
export const slackQueueLayer = (env: NodeJS.ProcessEnv) =>
  Layer.provideMerge(slackLayer({ env }), queuePlatformLayer(env));
