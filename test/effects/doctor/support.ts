import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as Effect from "effect/Effect";
import type { DoctorInput } from "../../../effects/doctor/finding.ts";
import { homePaths } from "../../../effects/home/Home.ts";
import { Log, silent } from "../../../effects/log/Log.ts";
import { defaultConfig } from "../../../src/config/config.ts";
import { queueSchemaVersion } from "../../../src/queue/row.ts";

/** A data home of its own, and what the checks get on a healthy machine. */
export const doctorInput = (): { readonly dir: string; readonly input: DoctorInput } => {
  const dir = mkdtempSync(join(tmpdir(), "adk-doctor-"));
  const home = homePaths({ env: { ADK_DATA_HOME: dir } });
  return {
    dir,
    input: {
      home,
      config: defaultConfig,
      configPath: join(home.config, "core.yaml"),
      env: { PATH: dir },
      log: Effect.runSync(Effect.provide(Log, silent)),
      strict: false,
      fix: false,
      gitVersion: Effect.succeed("2.50.1"),
      queue: Effect.succeed({ schema_version: queueSchemaVersion, rev: 1, prs: [] }),
      orphans: Effect.succeed([]),
      lockMechanism: Effect.succeed("fs-native-extensions"),
      githubLimit: () => Effect.succeed({ hasToken: true, limit: 5000, remaining: 4999, resetAt: 1_800_000_000_000 }),
      bitbucketAccess: () => Effect.die("no token, so nobody asks"),
      limits: Effect.succeed([]),
      slackSettings: Effect.succeed({ slack: defaultConfig.slack, warnings: [] }),
      slackIdentity: Effect.die("no token, so nobody asks"),
      slackChannels: Effect.die("no token, so nobody asks"),
    },
  };
};
