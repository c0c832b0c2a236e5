import { RepoBuilder } from "../fixtures/repos/RepoBuilder.ts";
import { type BenchChange, type BenchRepository, sharedChanges } from "./changeRequests.ts";
import { packageSources } from "./packageSources.ts";

/** A function as a change request may bring it; plain enough to parse in every language of the packages. */
const addition = (n: number, path: string): string => {
  const name = `limitTotal${n}of${path.length}`;
  return `\nfunction ${name}(values, limit) {\n  let total = 0;\n  for (const value of values) {\n    if (total + value > limit) break;\n    total += value;\n  }\n  return total;\n}\n\n`;
};

/** The content with a function put in at a blank line before a line that begins at the margin, near the middle. */
const withAddition = (content: Buffer, n: number, path: string): Buffer => {
  const text = content.toString("utf8");
  const middle = text.slice(Math.floor(text.length / 2));
  const gap = middle.search(/\n\n(?=[A-Za-z])/);
  const at = gap < 0 ? text.length : text.length - middle.length + gap + 1;
  return Buffer.from(text.slice(0, at) + addition(n, path) + text.slice(at));
};

/** Files changed by the n-th change request: a few mostly, thirty in every fifth. */
const changedFiles = (n: number): number => [4, 9, 14, 22, 28][n % 5] ?? 4;

/** Edits spread over the whole repository, one new file and, in every second change, one that goes. */
const changeOf = (files: ReadonlyMap<string, Buffer>, n: number): Record<string, Buffer | null> => {
  const paths = [...files.keys()];
  const count = Math.min(changedFiles(n), Math.floor(paths.length / 4));
  const step = Math.floor(paths.length / count);
  const change: Record<string, Buffer | null> = {};
  for (let i = 0; i < count; i++) {
    const path = paths[(i * step + n * 17) % paths.length] ?? "";
    change[path] = withAddition(files.get(path) ?? Buffer.alloc(0), n, path);
  }
  if (n % 2 === 1) change[paths[(n * 31 + 7) % paths.length] ?? ""] = null;
  change[`packages/added/change${n}.ts`] = Buffer.from(`// Totals of change ${n}\n${addition(n, "added")}`);
  return change;
};

/**
 * A repository made of the installed packages' sources: a commit for each package, branches with change requests of up
 * to 30 files, and two older branches with one change request each.
 */
export const syntheticRepository = (options: {
  readonly dir: string;
  readonly modules: string;
  readonly files: number;
}): BenchRepository => {
  const builder = new RepoBuilder(options.dir, { bare: true });
  const all = new Map<string, Buffer>();
  for (const { name, files } of packageSources(options.modules, options.files)) {
    builder.commit({ message: `Take in the sources of ${name}`, files: Object.fromEntries(files) });
    for (const [path, content] of files) all.set(path, content);
  }
  // Two more commits, so that the older branches hold nearly everything too.
  for (const branch of ["release-1", "release-2"]) {
    builder.branch(branch, "main");
    const note = Buffer.from(`# Notes\n\nWhat was changed after ${branch}.\n`);
    builder.commit({ message: `Note what came after ${branch}`, files: { [`notes/${branch}.md`]: note } });
  }
  const change = (head: string, base: string, n: number): BenchChange => {
    builder.commit({ branch: head, from: base, message: `Limit the totals, part ${n}`, files: changeOf(all, n) });
    return { head, base };
  };
  return {
    dir: options.dir,
    shared: Array.from({ length: sharedChanges }, (_, n) => change(`change-${n}`, "main", n)),
    alone: [change("alone-1", "release-1", 20), change("alone-2", "release-2", 21)],
    subjects: [...all.keys()].map((path) => path.replaceAll(/[/._-]+/g, " ")).filter((_, i) => i % 29 === 0),
    missing: [],
  };
};
