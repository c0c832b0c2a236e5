import { execFileSync } from "node:child_process";
import { existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type FileSpec, lfsPointer, RepoBuilder } from "../../fixtures/repos/RepoBuilder.ts";
import { changedRanges } from "../../src/diff/changedRanges.ts";
import { type CliHome, cliHome } from "../cli/support/queueHome.ts";
import { prepareLocal, type Task } from "./support/hosted.ts";

const body = (name: string): string =>
  `${Array.from({ length: 30 }, (_, line) => `export const ${name}${line} = ${line};`).join("\n")}\n`;
const odd = ["tab\there.ts", 'quote"d.ts', "new\nline.ts", "ünïcode b/x.ts", "-dash.ts", " space .ts", "back'tick`.ts"];
const lockLines = 25_000;
const lockFile = `${Array.from({ length: lockLines }, (_, line) => `"package-${line}": "1.0.${line}",`).join("\n")}\n`;
const minified = `var app={${Array.from({ length: 9_000 }, (_, n) => `k${n}:function(a){return a+${n}}`).join(",")}};\n`;
const utf16 = (text: string): Buffer => Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(text, "utf16le")]);

const before: Readonly<Record<string, FileSpec>> = {
  "src/old.ts": body("pure"),
  "src/edited.ts": body("edited"),
  "src/original.ts": body("copied"),
  "src/removed.ts": body("removed"),
  "src/emptied": "",
  "src/caller.ts": 'import { removed1 } from "./removed";\nexport const used = removed1;\n',
  "run.sh": "#!/bin/sh\n",
  "crlf.txt": "one\r\ntwo\r\nthree\r\n",
  "latin1.py": Buffer.from('def latin():\n    return "caf\xe9"\n', "latin1"),
  "wide.cs": utf16("class Wide {\n}\n"),
  "image.bin": Buffer.from([0, 1, 2, 3, 255]),
  "package-lock.json": "{}\n",
  module: { submodule: "3".repeat(40) },
  ...Object.fromEntries(odd.map((name) => [name, "export const one = 1;\n"])),
};
const after: Readonly<Record<string, FileSpec>> = {
  "lib/edited.ts": body("edited").replace("edited15 = 15", "edited15 = 1500"),
  "src/copy.ts": body("copied"),
  "src/added.ts": body("added"),
  "src/nothing": "",
  "src/removed.ts": null,
  "src/emptied": null,
  "run.sh": { executable: "#!/bin/sh\n" },
  "crlf.txt": "one\r\n2\r\nthree\r\n",
  "latin1.py": Buffer.from('def latin():\n    return "caf\xe8"\n', "latin1"),
  "wide.cs": utf16("class Wide {\n  int wider;\n}\n"),
  "image.bin": Buffer.from([0, 1, 2, 4, 255]),
  "package-lock.json": lockFile,
  "app.js": minified,
  "model.weights": lfsPointer("4".repeat(64), 1_000_000),
  "escape.ts": { symlink: "../../../../../../../../etc/passwd" },
  module: { submodule: "5".repeat(40) },
  ...Object.fromEntries(odd.map((name) => [name, "export const two = 2;\n"])),
};

/** A person's configuration that changes every diff git prints, and programs that must never run. */
const hostileConfig = (mark: string): string => `[diff]
\tnoprefix = true
\tmnemonicPrefix = true
\texternal = touch ${mark}-external
\tcolorMoved = zebra
\tcontext = 0
\trenames = false
\tsubmodule = log
[color]
\tui = always
\tdiff = always
[core]
\tquotePath = true
\tautocrlf = true
\tpager = touch ${mark}-pager
\tsymlinks = true
[diff "any"]
\ttextconv = touch ${mark}-textconv
[filter "lfs"]
\tclean = touch ${mark}-clean
\tsmudge = touch ${mark}-smudge && false
\tprocess = touch ${mark}-process && false
\trequired = true
[merge "any"]
\tdriver = touch ${mark}-merge
[alias]
\tdiff = !touch ${mark}-alias
`;

let home: CliHome;
let repo: RepoBuilder;
let task: Task & { readonly url: string };
let mark: string;
let base: string;
let head: string;

beforeAll(async () => {
  home = cliHome();
  mark = join(home.data, "ran");
  repo = new RepoBuilder(join(home.data, "work", "mixed"));
  base = repo.commit({ message: "Base", files: { ...before, ".gitattributes": "*.bin diff=any\n" } });
  head = repo.commit({
    branch: "feature",
    from: "main",
    message: "Every kind of change",
    renames: { "src/old.ts": "lib/new.ts", "src/edited.ts": "lib/edited.ts" },
    files: { ...after, ".gitattributes": "* diff=any merge=any\n*.weights filter=lfs -text\n*.ts -diff\n" },
  });
  mkdirSync(join(home.data, "config"), { recursive: true, mode: 0o700 });
  const config = join(home.data, "gitconfig");
  writeFileSync(config, hostileConfig(mark));
  task = await prepareLocal(home, { repo, head: "feature", env: { GIT_CONFIG_GLOBAL: config } });
}, 120_000);
afterAll(() => home.remove());

const brief = (path: string): ReadonlyArray<unknown> => {
  const file = task.files[path];
  return [file?.status, file?.kind, file?.additions, file?.deletions];
};

describe("a change request with every kind of file, under a person's configuration that changes every diff", () => {
  it("starts no program that the configuration or .gitattributes name, and keeps the patch that plain git gives", () => {
    expect(readdirSync(home.data).filter((name) => name.startsWith("ran"))).toEqual([]);
    const plain = execFileSync("git", ["-c", "core.quotePath=false", "diff", "--full-index", "--text", base, head], {
      cwd: repo.dir,
      maxBuffer: 1 << 28,
      env: { PATH: process.env.PATH, GIT_CONFIG_GLOBAL: "/dev/null", GIT_CONFIG_NOSYSTEM: "1" },
    }).toString("latin1");
    const lines = (text: string): ReadonlyArray<string> =>
      text.split("\n").filter((line) => line.startsWith("diff --git ") || line.startsWith("rename "));
    expect(lines(task.patch)).toEqual(lines(plain));
    expect(task.patch).toContain("\n+++ b/src/added.ts\n");
    expect(task.patch).not.toContain("\u001b");
  });

  it("has renames with and without an edit, copies, additions, deletions and empty files each as what they are", () => {
    expect(brief("src/old.ts")).toEqual(["D", "text", 0, 30]);
    expect(brief("lib/new.ts")).toEqual(["A", "text", 30, 0]);
    expect(brief("lib/edited.ts")).toEqual(["A", "text", 30, 0]);
    expect(brief("src/copy.ts")).toEqual(["A", "text", 30, 0]);
    expect(brief("src/added.ts")).toEqual(["A", "text", 30, 0]);
    expect(brief("src/nothing")).toEqual(["A", "text", 0, 0]);
    expect(brief("src/emptied")).toEqual(["D", "text", 0, 0]);
    expect(task.patch).toContain("similarity index 100%\nrename from src/old.ts\nrename to lib/new.ts\n");
    expect(task.patch).toMatch(/similarity index 9\d%\nrename from src\/edited\.ts\nrename to lib\/edited\.ts\n/);
    expect(task.patch).toContain("-export const edited15 = 15;\n+export const edited15 = 1500;\n");
    expect(task.patch).toContain("diff --git a/src/copy.ts b/src/copy.ts\nnew file mode 100644\n");
  });

  it("anchors changed lines on the new path of a rename, and has no line of a file that is new, gone or empty on one side", () => {
    const ranges = changedRanges(Buffer.from(task.patch, "latin1").toString("utf8"));
    expect(ranges.get("lib/edited.ts")).toEqual([{ start: 16, end: 16 }]);
    expect(ranges.get("src/added.ts")).toEqual([{ start: 1, end: 30 }]);
    for (const path of [
      "lib/new.ts",
      "src/old.ts",
      "src/edited.ts",
      "src/removed.ts",
      "src/nothing",
      "src/emptied",
      "run.sh",
    ])
      expect(ranges.get(path) ?? [], path).toEqual([]);
  });

  it("names a deleted file as deleted, reads nothing of it at the head and goes on", () => {
    expect(brief("src/removed.ts")).toEqual(["D", "text", 0, 30]);
    expect(task.precis).toContain("- `src/removed.ts`: deleted");
    expect(existsSync(join(task.folder, "code/src/removed.ts"))).toBe(false);
    expect(task.chunks.filter(({ path }) => path === "src/removed.ts")).toEqual([]);
    expect(task.chunks.some(({ path }) => path === "src/caller.ts")).toBe(true);
  });

  it("has a change of more than 20,000 lines in full, and says which files of it are generated", () => {
    expect(brief("package-lock.json")).toEqual(["M", "text", lockLines, 1]);
    expect(task.patch.split("\n").length).toBeGreaterThan(lockLines);
    expect(task.patch).toContain(`+"package-${lockLines - 1}": "1.0.${lockLines - 1}",\n`);
    expect(task.skipped["package-lock.json"]).toBe("lock file");
    expect(task.precis).toContain("- `package-lock.json`: lock file");
    expect(task.notes.filter((note) => note.includes("cut"))).toEqual([]);
  });

  it("lists binary files, which have no lines, with the reason", () => {
    expect(brief("image.bin")).toEqual(["M", "binary", null, null]);
    expect(task.patch).toContain("Binary files a/image.bin and b/image.bin differ");
    expect(task.precis).toContain("- M `image.bin` binary");
    expect(task.precis).toContain("- `image.bin`: binary");
  });

  it("keeps a minified file of one long line to one short chunk and says that it is not reviewed by line", () => {
    expect(brief("app.js")).toEqual(["A", "text", 1, 0]);
    const chunks = task.chunks.filter(({ path }) => path === "app.js");
    expect(chunks).toHaveLength(1);
    expect(chunks[0]?.text.length).toBeLessThan(8_000);
    expect(task.precis).toContain("- `app.js`: minified");
  });

  it("has a file whose mode alone changed as a change without lines", () => {
    expect(brief("run.sh")).toEqual(["M", "modeOnly", 0, 0]);
    expect(task.patch).toContain("diff --git a/run.sh b/run.sh\nold mode 100644\nnew mode 100755\ndiff --git ");
    expect(task.precis).toContain("- `run.sh`: only its mode changed");
  });

  it("has every odd path once, unharmed, in census, checkout and index", () => {
    for (const name of odd) {
      expect(brief(name), name).toEqual(["M", "text", 1, 1]);
      expect(readFileSync(join(task.folder, "code", name), "utf8"), name).toBe("export const two = 2;\n");
      expect(
        task.chunks.filter(({ path }) => path === name).map(({ text }) => text),
        name,
      ).toEqual(["export const two = 2;"]);
    }
    const ranges = changedRanges(Buffer.from(task.patch, "latin1").toString("utf8"));
    for (const name of odd) expect(ranges.get(name), name).toEqual([{ start: 1, end: 1 }]);
  });

  it("reads Latin-1 and UTF-16 into the index and leaves their bytes alone in patch and checkout", () => {
    expect(task.patch).toContain('-    return "caf\xe9"\n+    return "caf\xe8"\n');
    const text = (path: string) => task.chunks.find((chunk) => chunk.path === path)?.text ?? "";
    expect(text("latin1.py")).toContain("cafè");
    expect(text("wide.cs")).toContain("int wider;");
    expect(readFileSync(join(task.folder, "code/latin1.py"), "latin1")).toContain("caf\xe8");
    expect(brief("latin1.py")).toEqual(["M", "text", 1, 1]);
    expect(brief("wide.cs")).toEqual(["M", "binary", null, null]);
  });

  it("counts one line of a CRLF file as changed, whatever autocrlf says", () => {
    expect(brief("crlf.txt")).toEqual(["M", "text", 1, 1]);
    expect(task.patch).toContain("-two\r\n+2\r\n");
    expect(readFileSync(join(task.folder, "code/crlf.txt"), "latin1")).toBe("one\r\n2\r\nthree\r\n");
  });

  it("has a moved submodule as a change of its own kind, and fetches nothing for it", () => {
    expect(task.files.module).toMatchObject({
      status: "M",
      kind: "submodule",
      oldOid: "3".repeat(40),
      newOid: "5".repeat(40),
    });
    expect(task.precis).toContain("- `module`: submodule");
    expect(task.patch).toContain(`-Subproject commit ${"3".repeat(40)}\n+Subproject commit ${"5".repeat(40)}\n`);
    expect(existsSync(join(task.folder, "code/module"))).toBe(false);
  });

  it("checks out the pointer of a git-lfs file without git-lfs, and leaves it out of the index", () => {
    expect(readFileSync(join(task.folder, "code/model.weights"), "utf8")).toBe(lfsPointer("4".repeat(64), 1_000_000));
    expect(task.skipped["model.weights"]).toBe("git-lfs pointer");
  });

  it("never follows a link of the change request: its text stays text, in checkout and index", () => {
    expect(lstatSync(join(task.folder, "code/escape.ts")).isSymbolicLink()).toBe(false);
    expect(brief("escape.ts")).toEqual(["A", "symlink", 1, 0]);
    expect(task.skipped["escape.ts"]).toBe("symlink");
    const host = readFileSync("/etc/passwd", "utf8").split("\n")[0] ?? "";
    expect(task.chunks.filter(({ text }) => text.includes(host))).toEqual([]);
    expect(task.precis).not.toContain(host);
  });
});

describe("changed lines of any file", () => {
  it("stay within the new side, whatever is added, deleted, emptied or renamed", () => {
    const side = fc.option(fc.array(fc.constantFrom("a", "b", "", "--- x", "+++ y", "@@ -1 +1 @@"), { maxLength: 12 }));
    fc.assert(
      fc.property(side, side, (oldSide, newSide) => {
        const [o, n] = [oldSide ?? [], newSide ?? []];
        const header = `--- ${oldSide === null ? "/dev/null" : "a/f"}\n+++ ${newSide === null ? "/dev/null" : "b/f"}\n`;
        const hunk = `@@ -${o.length === 0 ? 0 : 1},${o.length} +${n.length === 0 ? 0 : 1},${n.length} @@\n`;
        const lines = [...o.map((line) => `-${line}`), ...n.map((line) => `+${line}`)]
          .map((line) => `${line}\n`)
          .join("");
        const patch = `diff --git a/f b/f\n${o.length + n.length === 0 ? "" : header + hunk}${lines}`;
        const found = changedRanges(`${patch}diff --git a/g b/g\nold mode 100644\nnew mode 100755\n`);
        expect(found.has("g")).toBe(false);
        for (const { start, end } of found.get("f") ?? []) {
          expect(start).toBeGreaterThanOrEqual(1);
          expect(end).toBeLessThanOrEqual(Math.max(1, n.length));
        }
        if (newSide === null) expect(found.has("f")).toBe(false);
      }),
    );
  });
});
