/** Environment for a Node process whose every clock that follows the calendar is `ahead`; `setUp` sets that variable. */
const clockAhead = (setUp: string): { readonly NODE_OPTIONS: string } => ({
  NODE_OPTIONS: `--import data:text/javascript,${encodeURIComponent(`
import { readFileSync } from "node:fs";
let ahead = 0;
${setUp}
const real = Date.now;
const shifted = () => real() + ahead;
globalThis.Date = class Date extends globalThis.Date {
  constructor(...args) { if (args.length === 0) super(shifted()); else super(...args); }
  static now() { return shifted(); }
};
const origin = performance.timeOrigin;
Object.defineProperty(performance, "timeOrigin", { get: () => origin + ahead });
`)}`,
});

/** Environment for a Node process whose clock is `ms` milliseconds ahead of this machine's; negative: behind. */
export const clockShiftedBy = (ms: number): { readonly NODE_OPTIONS: string } => clockAhead(`ahead = ${ms};`);

/**
 * Environment for a Node process whose clock is ahead of this machine's by the milliseconds that stand in `file`, read at
 * its start and whenever it goes on after a stop: what a closed and opened lid does to a clock.
 */
export const clockAheadByFile = (file: string): { readonly NODE_OPTIONS: string } =>
  clockAhead(`
const read = () => { ahead = Number(readFileSync(${JSON.stringify(file)}, "utf8")); };
read();
process.on("SIGCONT", read);`);

/** Environment for a Node process on whose machine `seconds` more have passed since boot; the clock stays right. */
export const runningLongerBy = (seconds: number): { readonly NODE_OPTIONS: string } => ({
  NODE_OPTIONS: `--import data:text/javascript,${encodeURIComponent(`
import os from "node:os";
import { syncBuiltinESMExports } from "node:module";
const real = os.uptime;
os.uptime = () => real() + (${seconds});
syncBuiltinESMExports();
`)}`,
});

export const day = 86_400_000;
