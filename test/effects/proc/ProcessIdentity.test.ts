import { spawn } from "node:child_process";
import { describe, expect, it } from "vitest";
import { currentIdentity, isAlive, startTimeOf } from "../../../effects/proc/ProcessIdentity.ts";

describe("the identity of a process", () => {
  const self = currentIdentity();

  it("says that this process is alive", () => {
    expect(self.pid).toBe(process.pid);
    expect(self.boot).not.toBe("");
    expect(startTimeOf(process.pid)).toBe(self.start);
    expect(isAlive(self)).toBe("alive");
  });

  it("takes a pid that was given out again, or another boot, for proof of death", () => {
    expect(isAlive({ ...self, start: `${self.start}0` })).toBe("dead");
    expect(isAlive({ ...self, boot: "00000000-0000-0000-0000-000000000000" })).toBe("dead");
  });

  it("claims to know nothing of another host", () => {
    expect(isAlive({ ...self, host: "elsewhere.invalid", boot: "x" })).toBe("unknown");
  });

  it("knows a process that ended as dead", async () => {
    const child = spawn("sleep", ["60"]);
    const identity = { ...self, pid: child.pid ?? 0, start: startTimeOf(child.pid ?? 0) ?? "" };
    expect(isAlive(identity)).toBe("alive");
    const ended = new Promise((resolve) => child.on("close", resolve));
    child.kill("SIGKILL");
    await ended;
    expect(isAlive(identity)).toBe("dead");
    expect(startTimeOf(identity.pid)).toBeNull();
  });
});
