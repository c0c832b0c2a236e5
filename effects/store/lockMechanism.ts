import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { epochChain } from "./epochChain.ts";
import { LockFailed } from "./errors.ts";
import * as files from "./fileOps.ts";
import { kernelLock, type LockMechanism, loadNativeLocks } from "./kernelLock.ts";

export type MechanismName = LockMechanism["name"];

const mechanisms: Readonly<Record<MechanismName, LockMechanism>> = {
  "fs-native-extensions": kernelLock,
  "epoch-chain": epochChain,
};

const recordPath = (locks: string): string => join(locks, "mechanism");

const mixed = (locks: string, message: string, cause?: unknown): LockFailed =>
  new LockFailed({
    message,
    hint: `end every adk process, then delete ${recordPath(locks)} to let the next one choose again`,
    lock: "mechanism",
    cause,
  });

/**
 * The mechanism that this data home uses, null when none was recorded yet. Two mechanisms do not exclude each other,
 * so a record that this process cannot follow is an error (spec 2, Store protocol 1). Throws LockFailed.
 */
export const recordedMechanism = (locks: string, wanted: MechanismName | null): MechanismName | null => {
  const bytes = files.readFileIfThere(recordPath(locks));
  if (bytes === null) return null;
  const name = bytes.toString("utf8").trim();
  if (name !== "fs-native-extensions" && name !== "epoch-chain")
    throw mixed(locks, `${recordPath(locks)} names no lock mechanism that this adk knows`);
  if (wanted !== null && wanted !== name)
    throw mixed(locks, `this data home locks with ${name}, this process was told to lock with ${wanted}`);
  return name;
};

/** The kernel lock where its native part loads, else the epoch chain. */
export const preferredMechanism = (): MechanismName => {
  try {
    loadNativeLocks();
    return "fs-native-extensions";
  } catch {
    return "epoch-chain";
  }
};

/** Writes the record whole, unless another process was first; then that one's word counts. */
const record = (locks: string, name: MechanismName): void => {
  const temp = join(locks, `.mechanism-${process.pid}-${randomBytes(4).toString("hex")}`);
  const fd = files.createExclusive(temp);
  try {
    try {
      files.writeAll(fd, Buffer.from(`${name}\n`, "utf8"), temp);
      files.fsync(fd, temp);
    } finally {
      files.close(fd);
    }
    files.link(temp, recordPath(locks));
  } catch (error) {
    if (!files.isCode(error, "EEXIST")) throw error;
  } finally {
    files.remove(temp);
  }
};

/** Makes the locks folder ready and gives the mechanism to use. Throws LockFailed, or the system's error. */
export const settleMechanism = (locks: string, wanted: MechanismName | null): LockMechanism => {
  files.makeDirs(locks);
  let name = recordedMechanism(locks, wanted);
  if (name === null) {
    record(locks, wanted ?? preferredMechanism());
    name = recordedMechanism(locks, wanted) ?? preferredMechanism();
  }
  if (name === "fs-native-extensions") {
    try {
      loadNativeLocks();
    } catch (cause) {
      throw mixed(locks, `this data home locks with ${name}, which does not load on this system`, cause);
    }
  }
  return mechanisms[name];
};
