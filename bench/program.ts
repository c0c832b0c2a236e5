import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Bench } from "./Bench.ts";

/** What one process took. */
export interface Ended {
  readonly seconds: number;
  readonly stdout: string;
  /** CPU seconds of the process itself, without the processes that it started. */
  readonly cpuSeconds: number;
  /** Peak resident memory of the process itself, in MB. */
  readonly peakMb: number;
}

export interface CallOptions {
  /** The data home; a verb that touches none needs none. */
  readonly home?: string;
  readonly env?: NodeJS.ProcessEnv;
  /** Exit codes that are no failure besides 0. */
  readonly allow?: ReadonlyArray<number>;
}

/**
 * The environment of every measured process: this one's path and nothing that changes what is measured, such as
 * NODE_EXTRA_CA_CERTS (83 ms a process on Node 20), NODE_OPTIONS or a person's git configuration.
 */
const environment = (bench: Bench, options: CallOptions): NodeJS.ProcessEnv => ({
  PATH: process.env.PATH,
  HOME: bench.folder,
  TMPDIR: bench.folder,
  ...(options.home === undefined ? {} : { ADK_DATA_HOME: options.home }),
  ...options.env,
});

const failed = (args: ReadonlyArray<string>, code: number | null, text: string): Error =>
  new Error(`${args.join(" ")} ended with ${code}: ${text.trim().slice(-2000)}`);

/** Wall time of `node …args` in milliseconds, from start to end; throws when it fails, so that no failure is measured. */
export const nodeMillis = (bench: Bench, args: ReadonlyArray<string>, options: CallOptions = {}): number => {
  const env = environment(bench, options);
  const started = performance.now();
  const { status, stderr, stdout } = spawnSync(process.execPath, args, { env, encoding: "utf8", maxBuffer: 1 << 28 });
  const millis = performance.now() - started;
  if (status !== 0) throw failed(args, status, `${stdout}${stderr}`);
  return millis;
};

/** The command line of adk for `nodeMillis`. */
export const adkCommand = (bench: Bench, args: ReadonlyArray<string>): ReadonlyArray<string> => [
  join(bench.root, "bin/adk"),
  ...args,
];

/**
 * Writes peak memory and CPU time of a process when it ends. VmHWM where there is one: a process that was started by a
 * large one inherits the maximum that getrusage tells.
 */
const usageHook = `data:text/javascript,${encodeURIComponent(`
import { readFileSync, writeFileSync } from "node:fs";
import { isMainThread } from "node:worker_threads";
if (isMainThread) process.on("exit", () => {
  const { userCPUTime, systemCPUTime, maxRSS } = process.resourceUsage();
  let peakKb = maxRSS;
  try { peakKb = Number(/^VmHWM:\\s*(\\d+)/m.exec(readFileSync("/proc/self/status", "utf8"))[1]); } catch {}
  writeFileSync(process.env.ADK_BENCH_USAGE, JSON.stringify({ cpuSeconds: (userCPUTime + systemCPUTime) / 1e6, peakMb: peakKb / 1024 }));
});`)}`;

let calls = 0;

/** Runs `node …args` beside others, with its memory and CPU time. Throws when it fails. */
export const runNode = async (bench: Bench, args: ReadonlyArray<string>, options: CallOptions = {}): Promise<Ended> => {
  const usage = join(bench.folder, `usage-${calls++}.json`);
  const env = { ...environment(bench, options), NODE_OPTIONS: `--import=${usageHook}`, ADK_BENCH_USAGE: usage };
  const started = performance.now();
  const child = spawn(process.execPath, args, { env, stdio: ["ignore", "pipe", "pipe"] });
  const text = { stdout: "", stderr: "" };
  for (const name of ["stdout", "stderr"] as const)
    child[name].setEncoding("utf8").on("data", (piece: string) => {
      text[name] += piece;
    });
  const [code] = (await once(child, "close")) as [number | null];
  const seconds = (performance.now() - started) / 1000;
  if (code !== 0 && !(options.allow ?? []).includes(code ?? -1)) throw failed(args, code, text.stdout + text.stderr);
  return { seconds, stdout: text.stdout, ...JSON.parse(readFileSync(usage, "utf8")) };
};

/** Runs a verb of the built adk. */
export const runAdk = (bench: Bench, args: ReadonlyArray<string>, options: CallOptions = {}): Promise<Ended> =>
  runNode(bench, adkCommand(bench, args), options);
