import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readdir, realpath, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import * as Effect from "effect/Effect";
import * as Layer from "effect/Layer";
import { indexBranches } from "../../effects/bases/indexBranches.ts";
import { layer as homeLayer } from "../../effects/home/Home.ts";
import { addLocal } from "../../effects/queue/addRows.ts";
import { addRepository } from "../../effects/repos/addRepository.ts";
import { Settings } from "../../effects/settings/Settings.ts";
import { ensureDir } from "../../effects/store/durableFile.ts";
import { prSync } from "../../effects/sync/prSync.ts";
import { buildDemoRepositories, type DemoRepository } from "../../fixtures/repos/demoRepositories.ts";
import { defaultConfig } from "../../src/config/config.ts";
import { failure, Refused } from "../../src/errors.ts";
import { terminalText } from "../../src/text/sanitize.ts";
import { workLayer } from "../layers/work.ts";
import type { VerbInput, VerbModule } from "../verb.ts";
import { demoText } from "./demoText.ts";

const marker = ".adk-demo";

/** The demo's own repositories could not be made: no git, no room, no right to write. */
class DemoNotBuilt extends failure("DemoNotBuilt", 1) {}

const isEmpty = (dir: string): Effect.Effect<boolean> =>
  Effect.promise(() =>
    readdir(dir).then(
      (names) => names.length === 0,
      () => true,
    ),
  );

/** The demo's data home: a new temporary folder, or DIR when it is empty or an earlier demo's and `--keep` is given. */
const demoHome = (input: VerbInput) =>
  Effect.gen(function* () {
    const wanted = input.flags.flag("dir");
    if (wanted === undefined) {
      const dir = yield* Effect.promise(() => mkdtemp(join(tmpdir(), "adk-demo-")));
      return { dir: yield* Effect.promise(() => realpath(dir)), temporary: !input.flags.bool("keep") };
    }
    const dir = resolve(wanted);
    if (!(yield* isEmpty(dir))) {
      if (!existsSync(join(dir, marker))) {
        return yield* new Refused({
          message: `${dir} is not empty and no earlier demo made it`,
          hint: "name an empty folder: adk demo --dir DIR",
        });
      }
      if (!input.flags.bool("keep")) {
        return yield* new Refused({
          message: `${dir} holds an earlier demo`,
          hint: `use it again with: adk demo --dir ${wanted} --keep`,
        });
      }
    }
    yield* ensureDir(dir);
    return { dir: yield* Effect.promise(() => realpath(dir)), temporary: false };
  });

/** Puts the demo's repositories in place, each whole; those that an earlier demo left stay as the person left them. */
const buildOnce = (dir: string): Effect.Effect<ReadonlyArray<DemoRepository>, DemoNotBuilt> =>
  Effect.tryPromise({
    try: () => placeRepositories(dir),
    catch: (cause) =>
      new DemoNotBuilt({
        cause,
        message: `the demo's repositories could not be made in ${dir}: ${cause instanceof Error ? (cause.message.split("\n")[0] ?? "") : String(cause)}`,
        hint: "check that git is installed and that the folder can be written, then run it again",
      }),
  });

const placeRepositories = async (dir: string): Promise<ReadonlyArray<DemoRepository>> => {
  await writeFile(join(dir, marker), "a demo of adk; delete this folder when you are done\n", { mode: 0o600 });
  const [folder, beside] = [join(dir, "repositories"), join(dir, ".repositories.new")];
  await rm(beside, { recursive: true, force: true });
  // Inside the data home everything is this user's alone, whatever the umask; git takes it from here.
  const umask = process.umask(0o077);
  const built = buildDemoRepositories(beside);
  process.umask(umask);
  await mkdir(folder, { recursive: true });
  const placed = built.map((repository) => ({ ...repository, path: join(folder, repository.name) }));
  for (const { name, path } of placed) if (!existsSync(path)) await rename(join(beside, name), path);
  await rm(beside, { recursive: true, force: true });
  return placed;
};

const runSync = (dir: string, repositories: ReadonlyArray<DemoRepository>, input: VerbInput) =>
  Effect.gen(function* () {
    // One default branch is indexed beforehand, so that all three tiers come from classification.
    const first = repositories[0];
    if (first !== undefined) {
      const repo = yield* addRepository({ source: first.path });
      yield* indexBranches({ repo, branches: [{ branch: first.defaultBranch, createdBy: "user" }], rebuild: false });
    }
    for (const repository of repositories) {
      for (const request of repository.requests) {
        yield* addLocal({ path: repository.path, head: request.head, base: request.base });
      }
    }
    return yield* prSync({
      prepare: true,
      scan: false,
      remind: false,
      env: {},
      clean: true,
      rebuild: false,
      planOnly: false,
      argv: input.argv,
    });
  }).pipe(
    Effect.provide(workLayer(input.env)),
    Effect.provide(
      Layer.succeed(Settings, { config: defaultConfig, warnings: [], path: join(dir, "config", "core.yaml") }),
    ),
    Effect.provide(homeLayer({ env: { ADK_DATA_HOME: dir } })),
  );

/** The main job on small real repositories: no token, no server, no network; the same code path as production. */
export const run: VerbModule["run"] = (input) =>
  Effect.acquireUseRelease(
    demoHome(input),
    ({ dir, temporary }) =>
      Effect.gen(function* () {
        const repositories = yield* buildOnce(dir);
        const report = yield* runSync(dir, repositories, input);
        const adk = yield* Effect.promise(() => realpath(process.argv[1] ?? "adk"));
        return {
          json: {
            data_home: dir,
            kept: !temporary,
            summary: report.file.summary,
            bases: report.file.bases,
            prs: report.file.prs,
            ready: report.ready,
            skipped: report.skipped,
          },
          text: terminalText(demoText({ dir, temporary, adk, report })),
          exitCode: report.file.rc === 0 ? (0 as const) : (1 as const),
        };
      }),
    ({ dir, temporary }) => (temporary ? Effect.promise(() => rm(dir, { recursive: true, force: true })) : Effect.void),
  );
