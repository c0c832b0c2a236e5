import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { hostname } from "node:os";

/** Names one run of one process for good: a pid alone is given out again, a pid with its boot and start time is not. */
export interface ProcessIdentity {
  readonly host: string;
  /** Id of the machine's boot, as the system tells it. */
  readonly boot: string;
  readonly pid: number;
  /** Start time of the process, as the system tells it (ticks since boot on Linux, a date on macOS). */
  readonly start: string;
}

export type Liveness = "alive" | "dead" | "unknown";

/** What the system says of a pid: its start time, that nothing runs under it, or nothing at all. */
export type ProcessStart =
  | { readonly kind: "running"; readonly start: string }
  | { readonly kind: "gone" }
  | { readonly kind: "hidden" };

const errorCode = (error: unknown): unknown =>
  typeof error === "object" && error !== null && "code" in error ? error.code : undefined;

/** Asks the kernel whether a pid exists at all, for systems that hide other users' processes. */
const probe = (pid: number): ProcessStart => {
  try {
    process.kill(pid, 0);
    return { kind: "hidden" };
  } catch (error) {
    return { kind: errorCode(error) === "ESRCH" ? "gone" : "hidden" };
  }
};

const linuxStart = (pid: number): ProcessStart => {
  let stat: string;
  try {
    stat = readFileSync(`/proc/${pid}/stat`, "latin1");
  } catch {
    return probe(pid);
  }
  // The command name, field 2, may hold spaces and parentheses: count from its last closing one.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  const state = fields[0];
  const start = fields[19];
  // A zombie can run no code, so it holds nothing.
  if (start === undefined || state === "Z" || state === "X") return { kind: "gone" };
  return { kind: "running", start };
};

const darwinStart = (pid: number): ProcessStart => {
  const { stdout, status } = spawnSync("ps", ["-o", "lstart=", "-p", String(pid)], {
    encoding: "utf8",
    env: { PATH: "/bin:/usr/bin", LC_ALL: "C", TZ: "UTC0" },
  });
  const start = (stdout ?? "").trim();
  if (start !== "") return { kind: "running", start };
  return status === null ? { kind: "hidden" } : probe(pid);
};

/** Looks a pid of this machine up. A zombie counts as gone. */
export const startOf = (pid: number): ProcessStart =>
  process.platform === "linux" ? linuxStart(pid) : darwinStart(pid);

const readBoot = (): string => {
  if (process.platform === "linux") return readFileSync("/proc/sys/kernel/random/boot_id", "latin1").trim();
  const { stdout } = spawnSync("sysctl", ["-n", "kern.bootsessionuuid"], {
    encoding: "utf8",
    env: { PATH: "/usr/sbin:/sbin:/usr/bin:/bin", LC_ALL: "C" },
  });
  return (stdout ?? "").trim() || "unknown-boot";
};

let own: ProcessIdentity | undefined;

/** Identity of this process; read once. Synchronous: locks and temp names need it where nothing may wait. */
export const currentIdentity = (): ProcessIdentity => {
  if (own === undefined || own.pid !== process.pid) {
    const start = startOf(process.pid);
    own = {
      host: hostname(),
      boot: readBoot(),
      pid: process.pid,
      start: start.kind === "running" ? start.start : "unknown-start",
    };
  }
  return own;
};

/**
 * Whether that process still runs. `dead` is proof (another boot of this host, no such pid, or the pid with another
 * start time); `unknown` for another host, or where the system hides the process. Age never decides (spec 2, claims).
 */
export const isAlive = (identity: ProcessIdentity): Liveness => {
  const self = currentIdentity();
  if (identity.host !== self.host) return "unknown";
  if (identity.boot !== self.boot) return "dead";
  const start = startOf(identity.pid);
  if (start.kind === "gone") return "dead";
  if (start.kind === "hidden") return "unknown";
  return start.start === identity.start ? "alive" : "dead";
};

/** Start time of a process of this machine, null when there is none or the system hides it. */
export const startTimeOf = (pid: number): string | null => {
  const found = startOf(pid);
  return found.kind === "running" ? found.start : null;
};
