import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type QueueRow, queueSchemaVersion } from "../../../src/queue/row.ts";
import { expectNoCanaryBelow } from "../../support/canaries.ts";
import { type Ended, ended, root, start } from "./program.ts";

/** A data home of its own and the real CLI over it. */
export interface CliHome {
  readonly data: string;
  readonly queue: string;
  readonly run: (args: ReadonlyArray<string>, env?: NodeJS.ProcessEnv) => Promise<Ended>;
  /** As `run` with `--json`: the one document on stdout, and the exit code. */
  readonly json: (args: ReadonlyArray<string>, env?: NodeJS.ProcessEnv) => Promise<Document>;
  /** Writes the queue as a person would: plain JSON without adk's header. */
  readonly write: (rows: ReadonlyArray<QueueRow>) => void;
  readonly remove: () => void;
}

export interface Document {
  readonly code: number | null;
  // biome-ignore lint/suspicious/noExplicitAny: a document is looked at field by field in assertions
  readonly body: any;
  readonly stderr: string;
}

/** Makes a data home in a temporary folder. */
export const cliHome = (): CliHome => {
  const data = realpathSync(mkdtempSync(join(tmpdir(), "adk-cli-")));
  const queue = join(data, "config", "pr-queue.json5");
  const run: CliHome["run"] = (args, env = {}) =>
    ended(start(join(root, "bin/adk"), args, { ADK_DATA_HOME: data, ...env }));
  return {
    data,
    queue,
    run,
    json: async (args, env) => {
      const { code, stdout, stderr } = await run([...args, "--json"], env);
      return { code, body: JSON.parse(stdout), stderr };
    },
    write: (rows) => {
      mkdirSync(join(data, "config"), { recursive: true, mode: 0o700 });
      writeFileSync(queue, JSON.stringify({ schema_version: queueSchemaVersion, rev: 1, prs: rows }), { mode: 0o600 });
    },
    remove: () => {
      try {
        expectNoCanaryBelow(data);
      } finally {
        rmSync(data, { recursive: true, force: true });
      }
    },
  };
};

/** Bytes of a file. */
export const bytesOf = (path: string): Buffer => readFileSync(path);
