// Holds a starter. With `once`: runs one short git and ends by itself; else one that runs until it is ended, and says
// the process ids of both.
import * as Effect from "effect/Effect";
import { Starter } from "../../../effects/git/starterClient.ts";

const [, , file = "", how] = process.argv;
const starter = new Starter(file);
const args = how === "once" ? ["version"] : ["-c", "alias.stay=!exec sleep 1000", "stay"];
const call = { args, cwd: "/", env: { PATH: process.env.PATH ?? "" }, maxBytes: 1000 };
void Effect.runPromise(
  starter.run(call, (pid) => {
    if (how !== "once") process.stdout.write(`${starter.pid} ${pid}\n`);
  }),
);
