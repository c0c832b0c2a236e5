import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import { build } from "esbuild";
import { ambientSecrets, canariesIn, plantEnvironment } from "../../support/canaries.ts";

export const root = join(import.meta.dirname, "../../..");

export interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Bundles a TypeScript program of the tests. Inside node_modules, so that the bundle finds its packages; `remove` deletes it. */
export const bundle = async (entry: string): Promise<{ readonly file: string; readonly remove: () => void }> => {
  const folder = mkdtempSync(join(root, "node_modules", ".adk-test-"));
  const file = join(folder, "program.mjs");
  await build({
    entryPoints: [join(root, entry)],
    outfile: file,
    bundle: true,
    format: "esm",
    platform: "node",
    target: "node20",
    packages: "external",
  });
  return { file, remove: () => rmSync(folder, { recursive: true, force: true }) };
};

/**
 * Starts a Node program with nothing of this process's environment but PATH and HOME, and with pipes for all three
 * streams. Secrets in its environment, and some that every program gets, are looked for when its data home is removed.
 */
export const start = (file: string, args: ReadonlyArray<string>, env: NodeJS.ProcessEnv = {}): ChildProcess => {
  const whole = { PATH: process.env.PATH, HOME: process.env.HOME, ...ambientSecrets, ...env };
  plantEnvironment(whole);
  return spawn(process.execPath, [file, ...args], { env: whole, stdio: ["pipe", "pipe", "pipe"] });
};

/** Waits for the end of a program and for all it printed, which may hold no secret of its environment. */
export const ended = async (child: ChildProcess): Promise<Ended> => {
  const text = { stdout: "", stderr: "" };
  for (const name of ["stdout", "stderr"] as const) {
    child[name]?.setEncoding("utf8").on("data", (chunk: string) => {
      text[name] += chunk;
    });
  }
  const [code, signal] = (await once(child, "close")) as [number | null, NodeJS.Signals | null];
  const found = canariesIn(text.stdout + text.stderr);
  if (found.length > 0) throw new Error(`secrets were printed: ${found.join(", ")}`);
  return { code, signal, ...text };
};
