import { execFileSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import { join } from "node:path";

/** Numbers from 0 to 1 that depend on the seed alone (mulberry32). */
export const randomFrom = (seed: number): (() => number) => {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
};

interface File {
  readonly mode: string;
  readonly content: Buffer;
}
type Tree = Map<string, File>;

const words =
  "cart price user login token stream parse render queue retry cache index commit branch merge order stock mail".split(
    " ",
  );

class Dice {
  readonly random: () => number;
  constructor(seed: number) {
    this.random = randomFrom(seed);
  }
  below(n: number): number {
    return Math.floor(this.random() * n);
  }
  pick<T>(values: ReadonlyArray<T>): T {
    return values[this.below(values.length)] as T;
  }
  name(): string {
    const [a, b] = [this.pick(words), this.pick(words)];
    return `${a}${b.charAt(0).toUpperCase()}${b.slice(1)}`;
  }
}

const functionText = (dice: Dice): string => {
  const body = Array.from(
    { length: 1 + dice.below(12) },
    () => `  const ${dice.name()} = ${dice.name()}(${dice.pick(words)}, ${dice.below(99)});\n`,
  ).join("");
  return `// ${dice.pick(words)} ${dice.pick(words)} of the ${dice.pick(words)}\nexport function ${dice.name()}(${dice.pick(words)}) {\n${body}}\n\n`;
};

const pythonText = (dice: Dice): string =>
  `class ${dice.name()}:\n${Array.from({ length: 1 + dice.below(4) }, () => `    def ${dice.name()}(self, ${dice.pick(words)}):\n        return ${dice.name()}(${dice.pick(words)})\n`).join("\n")}\n`;

const extensions = ["ts", "js", "py", "md", "txt", "json", "go", "unknown"] as const;

const contentFor = (dice: Dice, path: string): Buffer => {
  const count = 1 + dice.below(6);
  const many = (one: (dice: Dice) => string): Buffer =>
    Buffer.from(Array.from({ length: count }, () => one(dice)).join(""));
  const kind = dice.random();
  if (kind < 0.02) return Buffer.from([0, 1, 2, dice.below(250)]);
  if (kind < 0.04) return Buffer.from(`caf\xe9 ${dice.name()}\n`, "latin1");
  if (kind < 0.05) return Buffer.alloc(0);
  if (kind < 0.06) return Buffer.from(`var a=${"1,".repeat(900 + dice.below(200))}0;`);
  if (path.endsWith(".py")) return many(pythonText);
  if (path.endsWith(".md")) return many((d) => `## ${d.name()}\n\n${d.pick(words)} ${d.pick(words)} ${d.name()}.\n\n`);
  if (path.endsWith(".json")) return Buffer.from(JSON.stringify({ [dice.name()]: dice.below(1000) }, null, 2));
  return many(functionText);
};

const newPath = (dice: Dice): string => {
  const folder = dice.pick(["", "src/", "src/deep/", "test/", "docs/", "vendor/x/", "sp ace/", "quote'd/", "ünï/"]);
  return `${folder}${dice.name()}${dice.below(40)}.${dice.pick(extensions)}`;
};

const edit = (dice: Dice, path: string, file: File): File => {
  const text = file.content.toString("latin1");
  const lines = text.split("\n");
  const at = dice.below(lines.length + 1);
  const extra = contentFor(dice, path).toString("latin1").split("\n").slice(0, 4);
  if (dice.random() < 0.6) lines.splice(at, 0, ...extra);
  else lines.splice(at, 1 + dice.below(5));
  return { ...file, content: Buffer.from(lines.join("\n"), "latin1") };
};

const isText = (file: File): boolean => file.mode.startsWith("100");

/** One random step on a tree: additions, edits, renames, deletions, mode and type changes, copies. */
const mutate = (dice: Dice, tree: Tree): void => {
  const paths = [...tree.keys()];
  const path = paths.length === 0 ? newPath(dice) : dice.pick(paths);
  const file = tree.get(path);
  const what = file === undefined ? 0 : dice.random();
  if (file === undefined || what < 0.25) {
    const fresh = newPath(dice);
    tree.set(fresh, { mode: "100644", content: contentFor(dice, fresh) });
  } else if (what < 0.55 && isText(file)) tree.set(path, edit(dice, path, file));
  else if (what < 0.7) {
    tree.delete(path);
    tree.set(newPath(dice), dice.random() < 0.5 || !isText(file) ? file : edit(dice, path, file));
  } else if (what < 0.82) tree.delete(path);
  else if (what < 0.88 && isText(file)) tree.set(path, { ...file, mode: file.mode === "100644" ? "100755" : "100644" });
  else if (what < 0.92) tree.set(path, { mode: "120000", content: Buffer.from(dice.pick(words)) });
  else if (what < 0.94) tree.set(path, { mode: "100644", content: contentFor(dice, path) });
  else tree.set(newPath(dice), file);
};

/** Paths where one is a folder of another cannot stand in one tree. */
const withoutConflicts = (tree: Tree): Tree => {
  const out: Tree = new Map();
  for (const [path, file] of tree) {
    const parents = path
      .split("/")
      .slice(0, -1)
      .map((_, i, all) => all.slice(0, i + 1).join("/"));
    if (!parents.some((parent) => tree.has(parent))) out.set(path, file);
  }
  return out;
};

const quoted = (path: string): string => `"${path.replaceAll("\\", "\\\\").replaceAll('"', '\\"')}"`;

const commitStream = (options: { ref: string; mark: number; parents: ReadonlyArray<number>; tree: Tree }): Buffer[] => {
  const message = `commit ${options.mark}`;
  const [from, ...merged] = options.parents;
  const head = [
    `commit ${options.ref}\nmark :${options.mark}\ncommitter Ada <ada@example.invalid> ${1_700_000_000 + options.mark} +0000\n`,
    `data ${message.length}\n${message}\n`,
    from === undefined ? "" : `from :${from}\n`,
    ...merged.map((mark) => `merge :${mark}\n`),
    "deleteall\n",
  ].join("");
  const files = [...options.tree].flatMap(([path, { mode, content }]) => [
    Buffer.from(`M ${mode} inline ${quoted(path)}\ndata ${content.length}\n`),
    content,
    Buffer.from("\n"),
  ]);
  return [Buffer.from(head), ...files, Buffer.from("\n")];
};

const mergeTrees = (dice: Dice, a: Tree, b: Tree): Tree => {
  const out: Tree = new Map(a);
  for (const [path, file] of b) if (!out.has(path) || dice.random() < 0.5) out.set(path, file);
  return withoutConflicts(out);
};

export interface History {
  readonly repo: string;
  /** The commit that the base is indexed at; an ancestor of the target's tip, or a rewritten one that nothing leads to. */
  readonly indexed: string;
  readonly head: string;
  readonly mergeBase: string;
  readonly commits: number;
}

const git = (repo: string, args: ReadonlyArray<string>, input?: Buffer): string =>
  execFileSync("git", ["-C", repo, ...args], { input, encoding: "utf8", maxBuffer: 1 << 28 }).trim();

/**
 * A real repository with a random history of at least 20 commits: a target branch, a base indexed at some (often stale,
 * sometimes rewritten) commit of it, and a PR branch that may merge the target in.
 */
export const randomHistory = (folder: string, seed: number): History => {
  const dice = new Dice(seed);
  const repo = join(folder, `repo-${seed}`);
  mkdirSync(repo);
  git(repo, ["init", "-q", "--bare"]);
  const pieces: Buffer[] = [];
  const trees = new Map<number, Tree>();
  let mark = 0;
  const commit = (ref: string, parents: ReadonlyArray<number>, tree: Tree): number => {
    mark += 1;
    const clean = withoutConflicts(tree);
    trees.set(mark, clean);
    pieces.push(...commitStream({ ref, mark, parents, tree: clean }));
    return mark;
  };
  const step = (ref: string, parent: number | null): number => {
    const tree: Tree = new Map(parent === null ? [] : trees.get(parent));
    const changes = parent === null ? 12 : 1 + dice.below(5);
    for (let i = 0; i < changes; i++) mutate(dice, tree);
    return commit(ref, parent === null ? [] : [parent], tree);
  };
  const main: number[] = [step("refs/heads/main", null)];
  for (let i = 0; i < 12; i++) main.push(step("refs/heads/main", main.at(-1) ?? 1));
  const indexedMark = dice.random() < 0.2 ? step("refs/heads/rewritten", dice.pick(main)) : dice.pick(main);
  let tip = dice.pick(main);
  for (let i = 0; i < 7 + dice.below(4); i++) {
    tip = step("refs/heads/pr", tip);
    if (dice.random() < 0.15) {
      const other = main.at(-1) ?? 1;
      tip = commit(
        "refs/heads/pr",
        [tip, other],
        mergeTrees(dice, trees.get(tip) ?? new Map(), trees.get(other) ?? new Map()),
      );
    }
  }
  const marks = join(folder, `marks-${seed}`);
  git(repo, ["fast-import", "--quiet", `--export-marks=${marks}`], Buffer.concat(pieces));
  const shas = new Map(
    execFileSync("cat", [marks], { encoding: "utf8" })
      .trim()
      .split("\n")
      .map((line) => line.slice(1).split(" ") as [string, string]),
  );
  const sha = (n: number): string => shas.get(String(n)) ?? "";
  return {
    repo,
    indexed: sha(indexedMark),
    head: sha(tip),
    mergeBase: git(repo, ["merge-base", sha(main.at(-1) ?? 1), sha(tip)]),
    commits: mark,
  };
};
