import assert from "node:assert/strict";
import type { RepoBuilder } from "../../../fixtures/repos/RepoBuilder.ts";
import type { BaseState, BranchMeta } from "../../../src/repo/repoMeta.ts";
import { type Answer, type CliOver, type Transition, World } from "../support/world.ts";

/** Runs a chapter over two repositories and a data home of its own; gives the transitions that it caused. */
export const inWorld = async (
  program: string | undefined,
  body: (world: World) => Promise<void>,
): Promise<ReadonlyArray<Transition>> => {
  const world = new World(program === undefined ? {} : { program });
  try {
    await body(world);
    return world.events();
  } finally {
    world.remove();
  }
};

/** A verb that must end with this exit code. */
export const ends = async (
  cli: CliOver,
  code: number,
  args: ReadonlyArray<string>,
  fault?: string,
): Promise<Answer> => {
  const env = fault === undefined ? {} : { NODE_ENV: "test", ADK_FAULT: fault };
  const answer = await cli.json(args, env);
  assert.equal(answer.code, code, `adk ${args.join(" ")} ended ${answer.code}: ${JSON.stringify(answer.body)}`);
  return answer;
};

let pushes = 0;

/** One more commit on a branch. */
export const push = (repo: RepoBuilder, branch: string): string => {
  pushes += 1;
  return repo.commit({ branch, message: `Push ${pushes}`, files: { "notes.md": `# Notes\n\nPush ${pushes}.\n` } });
};

/** Asserts where a row stands and gives it back. */
export const stands = (cli: CliOver, url: string, prep: string, attempts = 0) => {
  const row = cli.row(url);
  assert.deepEqual([row.prep_status, row.prep_attempts], [prep, attempts], `${url}: ${row.prep_error}`);
  return row;
};

/** Asserts where a base stands and gives it back. */
export const baseIs = (
  cli: CliOver,
  branch: string,
  state: BaseState,
  fields: Partial<BranchMeta> = {},
  repo = "report",
): BranchMeta => {
  const base = cli.base(repo, branch);
  if (base === null) throw new assert.AssertionError({ message: `${repo} has no base ${branch}` });
  assert.equal(base.state, state, `base ${branch}: ${base.error}`);
  for (const [name, value] of Object.entries(fields)) assert.deepEqual(base[name as keyof BranchMeta], value, name);
  return base;
};

/** Asserts that the event log holds a transition of an actor. */
export const recorded = (cli: CliOver, actor: string, from: string, event: string, to: string): void => {
  const found = cli.events().some((one) => {
    return one.actor.includes(actor) && one.from === from && one.event === event && one.to === to;
  });
  assert.ok(found, `no record of ${actor}: ${from} —${event}→ ${to}`);
};
