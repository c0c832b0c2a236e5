import { type ChildProcess, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as Layer from "effect/Layer";
import { build } from "esbuild";
import * as Home from "../../effects/home/Home.ts";
import * as Locks from "../../effects/store/Locks.ts";
import type { MechanismName } from "../../effects/store/lockMechanism.ts";
import * as QueueStore from "../../effects/store/QueueStore.ts";
import { newRow, type QueueRow } from "../../src/queue/row.ts";

const root = join(import.meta.dirname, "..", "..");

/** Bundles a TypeScript program for `node`; inside node_modules, so that it finds its packages. */
export const bundleProgram = async (file: string): Promise<{ readonly path: string; readonly remove: () => void }> => {
  const folder = mkdtempSync(join(root, "node_modules", ".adk-test-"));
  const path = join(folder, "program.mjs");
  await build({
    entryPoints: [join(import.meta.dirname, file)],
    outfile: path,
    bundle: true,
    format: "esm",
    platform: "node",
    target: "node20",
    packages: "bundle",
    external: ["fs-native-extensions"],
    banner: {
      js: 'import { createRequire as __r } from "node:module"; const require = __r(import.meta.url);',
    },
    logLevel: "warning",
  });
  return { path, remove: () => rmSync(folder, { recursive: true, force: true }) };
};

/** A data home, and a ledger folder outside of it; both removed by `remove`. */
export const makeHome = () => {
  const base = mkdtempSync(join(tmpdir(), "adk-store-"));
  const data = join(base, "data");
  const ledger = join(base, "ledger");
  mkdirSync(ledger);
  return {
    base,
    data,
    ledger,
    queue: join(data, "config", "pr-queue.json5"),
    lock: join(data, "locks", "queue.lock"),
    remove: () => rmSync(base, { recursive: true, force: true }),
  };
};
export type TestHome = ReturnType<typeof makeHome>;

/** Queue store and locks over a data home. */
export const storeLayer = (data: string, mechanism: MechanismName | null = null, queue?: string) =>
  QueueStore.layer.pipe(
    Layer.provideMerge(Locks.layerWith({ mechanism })),
    Layer.provideMerge(Home.layer({ env: { ADK_DATA_HOME: data }, queue })),
  );

export const testRow = (number: number, fields: Partial<QueueRow> = {}): QueueRow => ({
  ...newRow({
    platform: "github",
    host: "github.com",
    owner: "acme",
    repo: "shop",
    pr_number: number,
    pr_url: `https://github.com/acme/shop/pull/${number}`,
  }),
  ...fields,
});

/** Starts a bundled program; `ended` gives exit code or signal, and what it wrote to stderr. */
export const start = (
  program: string,
  args: ReadonlyArray<string>,
  env: Readonly<Record<string, string>> = {},
  stdin: "ignore" | "pipe" = "ignore",
): {
  readonly child: ChildProcess;
  readonly ended: Promise<{ code: number | null; signal: string | null; stderr: string }>;
} => {
  const child = spawn(process.execPath, [program, ...args], {
    stdio: [stdin, "pipe", "pipe"],
    env: { ...process.env, NODE_ENV: "test", ...env },
  });
  let stderr = "";
  child.stderr?.on("data", (chunk: Buffer) => {
    stderr += chunk.toString("utf8");
  });
  const ended = new Promise<{ code: number | null; signal: string | null; stderr: string }>((resolve) => {
    child.on("close", (code, signal) => resolve({ code, signal, stderr }));
  });
  return { child, ended };
};

/** Resolves when the program prints that line. */
export const printed = (child: ChildProcess, line: string): Promise<void> =>
  new Promise((resolve, reject) => {
    let text = "";
    child.stdout?.on("data", (chunk: Buffer) => {
      text += chunk.toString("utf8");
      if (text.split("\n").includes(line)) resolve();
    });
    child.on("close", () => reject(new Error(`ended without printing ${line}: ${text}`)));
  });

export interface LedgerLine {
  readonly event: "attempt" | "ack";
  readonly writer: number;
  readonly seq: number;
  readonly waitedMs?: number;
}

/** Every attempt and acknowledgement of all writers, in the order of each writer. A torn last line is of a dead one. */
export const readLedger = (folder: string): ReadonlyArray<LedgerLine> =>
  readdirSync(folder)
    .filter((name) => name.endsWith(".ledger"))
    .flatMap((name) => readFileSync(join(folder, name), "utf8").split("\n").slice(0, -1))
    .map((line) => JSON.parse(line) as LedgerLine);
