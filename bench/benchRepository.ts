import { join } from "node:path";
import type { Bench } from "./Bench.ts";
import type { BenchRepository } from "./changeRequests.ts";
import { realRepository } from "./realRepository.ts";
import { syntheticRepository } from "./syntheticRepository.ts";

let made: BenchRepository | null = null;

/** The repository of this run, made at first use. */
export const benchRepository = (bench: Bench): BenchRepository => {
  const dir = join(bench.folder, "repository.git");
  made ??=
    bench.repo === null
      ? syntheticRepository({ dir, modules: join(bench.root, "node_modules"), files: bench.quick ? 300 : 2900 })
      : realRepository({ dir, source: bench.repo });
  return made;
};
