// A process that starts git for a large one: copying the memory map of 400 MB takes 11 ms for each start, of 50 MB one.
import { endGroup, killGroup, launch } from "./childProcess.ts";
import type { StarterAnswer, StarterRequest } from "./starterClient.ts";

process.umask(0o077);
// A terminal sends its signals to every process of the group; ours ends when its parent does.
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => {});

const pids = new Map<number, { readonly pid: number; readonly ended: Promise<unknown> }>();

const answer = (message: StarterAnswer): void => {
  if (process.connected) process.send?.(message);
};

const start = async ({ id, call }: Extract<StarterRequest, { call: unknown }>): Promise<void> => {
  const { pid, result } = launch(call);
  if (pid !== undefined) {
    pids.set(id, { pid, ended: result });
    answer({ id, pid });
  }
  const ended = await result;
  pids.delete(id);
  answer({ id, result: ended });
};

process.on("message", (request: StarterRequest) => {
  if ("call" in request) void start(request);
  else {
    const running = pids.get(request.end);
    if (running !== undefined) void endGroup(running.pid, running.ended);
  }
});

// The large process has ended, however it did: no git may go on writing for it.
process.on("disconnect", () => {
  for (const { pid } of pids.values()) killGroup(pid);
  process.exit(0);
});
