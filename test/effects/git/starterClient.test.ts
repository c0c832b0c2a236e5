import { writeFileSync } from "node:fs";
import { join } from "node:path";
import * as Effect from "effect/Effect";
import * as Fiber from "effect/Fiber";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type ChildCall, runChild } from "../../../effects/git/childProcess.ts";
import { Starter } from "../../../effects/git/starterClient.ts";
import { currentIdentity, isAlive, type ProcessIdentity, startTimeOf } from "../../../effects/proc/ProcessIdentity.ts";
import { bundle, ended, start } from "../../cli/support/program.ts";
import { temporaryFolder } from "./support.ts";

let built: Awaited<ReturnType<typeof bundle>>;
let held: Awaited<ReturnType<typeof bundle>>;
beforeAll(async () => {
  built = await bundle("effects/git/gitStarter.ts");
  held = await bundle("test/effects/git/starterHolder.ts");
});
afterAll(() => {
  built.remove();
  held.remove();
});

const env = { PATH: process.env.PATH ?? "", GIT_CONFIG_GLOBAL: "/dev/null", GIT_CONFIG_NOSYSTEM: "1" };

const call = (args: ReadonlyArray<string>, more: Partial<ChildCall> = {}): ChildCall => ({
  args,
  cwd: "/",
  env,
  maxBytes: 1_000_000,
  ...more,
});

/** A git that runs until it is ended. */
const endless = call(["-c", "alias.stay=!exec sleep 1000", "stay"]);

const identityOf = (pid: number): ProcessIdentity => ({
  ...currentIdentity(),
  pid,
  start: startTimeOf(pid) ?? "ended",
});

const untilDead = async (one: ProcessIdentity): Promise<void> => {
  while (isAlive(one) !== "dead") await new Promise((resolve) => setTimeout(resolve, 10));
};

describe("a git that the starter starts", () => {
  it("gives what it gives when started here: output, errors, codes, input, cut output", async () => {
    const dir = temporaryFolder();
    const starter = new Starter(built.file);
    const calls = [
      call(["version"]),
      call(["init", "--quiet", "repo"], { cwd: dir }),
      call(["no-such-verb"]),
      call(["--git-dir=repo/.git", "hash-object", "--stdin"], { cwd: dir, input: Buffer.from([0, 255, 10]) }),
      call(["help", "-a"], { maxBytes: 100 }),
    ];
    for (const one of calls) {
      const pids: number[] = [];
      const by = await Effect.runPromise(starter.run(one, (pid) => pids.push(pid)));
      const here = await Effect.runPromise(runChild(one));
      // Whether a git whose output is cut still ends by itself depends on the moment.
      expect(by).toEqual(by.truncated ? { ...here, code: by.code } : here);
      expect(pids).toEqual([expect.any(Number)]);
    }
  });

  it("makes files of this user only", async () => {
    const dir = temporaryFolder();
    const starter = new Starter(built.file);
    const { stdout } = await Effect.runPromise(
      starter.run(call(["-c", "alias.mask=!umask;:", "mask"], { cwd: dir }), () => {}),
    );
    expect(stdout.toString("utf8").trim()).toBe("0077");
  });

  it("ends with its whole group when its fiber is interrupted, and others go on", async () => {
    const starter = new Starter(built.file);
    const one = await Effect.runPromise(
      Effect.gen(function* () {
        let started: (pid: number) => void = () => {};
        const pid = new Promise<number>((resolve) => {
          started = resolve;
        });
        const fiber = yield* Effect.fork(starter.run(endless, (found) => started(found)));
        const git = identityOf(yield* Effect.promise(() => pid));
        expect(isAlive(git)).toBe("alive");
        yield* Fiber.interrupt(fiber);
        return git;
      }),
    );
    expect(isAlive(one)).toBe("dead");
    const next = await Effect.runPromise(starter.run(call(["version"]), () => {}));
    expect(next.code).toBe(0);
  });

  it("has no exit code when the starter was killed, and the starter is known as lost", async () => {
    const starter = new Starter(built.file);
    const result = await Effect.runPromise(
      starter.run(endless, () => {
        process.kill(starter.pid ?? 0, "SIGKILL");
      }),
    );
    expect(result).toMatchObject({ code: null, stderr: expect.stringContaining("was ended") });
    expect(starter.isLost).toBe(true);
  });

  it("ends when the process that wanted it is killed, and so does the starter", async () => {
    const holder = start(held.file, [built.file]);
    const said = new Promise<string>((resolve) => holder.stdout?.once("data", (line: Buffer) => resolve(`${line}`)));
    const [starter = 0, git = 0] = (await said).trim().split(" ").map(Number);
    const both = [identityOf(starter), identityOf(git)];
    expect(both.map(isAlive)).toEqual(["alive", "alive"]);
    const end = ended(holder);
    holder.kill("SIGKILL");
    await end;
    for (const one of both) await untilDead(one);
  });

  it("does not keep its process from ending", async () => {
    const program = join(temporaryFolder(), "wait.mjs");
    writeFileSync(program, "");
    const holder = start(held.file, [built.file, "once"]);
    expect(await ended(holder)).toMatchObject({ code: 0 });
  });
});
