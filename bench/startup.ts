import type { Section } from "./Bench.ts";
import { atMost, figure } from "./BenchRow.ts";
import { adkCommand, nodeMillis } from "./program.ts";
import { preparedRows, queueHome } from "./queueHome.ts";
import { median } from "./statistics.ts";

/** Start-up against `node -e 0` of the same minutes: the commands take turns, so that all meet the same machine. */
export const startup: Section = async (bench) => {
  const home = queueHome(bench, "startup", preparedRows(100));
  const commands = {
    bare: ["-e", "0"],
    version: adkCommand(bench, ["--version"]),
    help: adkCommand(bench, ["--help"]),
    leaf: adkCommand(bench, ["config", "path"]),
    list: adkCommand(bench, ["pr-queue", "list"]),
  };
  const millis = { bare: [], version: [], help: [], leaf: [], list: [] } as Record<keyof typeof commands, number[]>;
  const runs = bench.quick ? 5 : 25;
  for (let run = -2; run < runs; run++)
    for (const name of Object.keys(commands) as Array<keyof typeof commands>) {
      const took = nodeMillis(bench, commands[name], { home });
      if (run >= 0) millis[name].push(took);
    }
  const ratio = (name: keyof typeof commands): number => median(millis[name]) / median(millis.bare);
  const ms = (name: keyof typeof commands): string =>
    `${Math.round(median(millis[name]))} ms, best ${Math.round(Math.min(...millis[name]))} ms`;
  return [
    figure({
      name: "node -e 0",
      value: median(millis.bare),
      unit: "ms",
      note: `median of ${runs}, best ${Math.round(Math.min(...millis.bare))} ms`,
    }),
    atMost(2, { name: "adk --version", value: ratio("version"), unit: "x node -e 0", note: ms("version") }),
    figure({ name: "adk --help", value: ratio("help"), unit: "x node -e 0", note: ms("help") }),
    figure({ name: "adk config path", value: ratio("leaf"), unit: "x node -e 0", note: ms("leaf") }),
    atMost(4.5, {
      name: "adk pr-queue list, 100 rows",
      value: ratio("list"),
      unit: "x node -e 0",
      note: ms("list"),
    }),
  ];
};
