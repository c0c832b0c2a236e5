import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type BatchAnswer, BatchParser } from "../../../src/git/batchParser.ts";
import { parseCensus, parseChanges } from "../../../src/git/changes.ts";
import {
  checkoutPath,
  committedPath,
  isAgentConfiguration,
  isSafeCheckoutPath,
} from "../../../src/git/checkoutPaths.ts";
import { parseCommits } from "../../../src/git/commits.ts";
import { isFullRef, parseBranches, parseRemoteRefs } from "../../../src/git/refs.ts";
import { parseTree } from "../../../src/git/tree.ts";

const hex = (char: string): string => char.repeat(40);
const path = fc.string({ unit: "binary", minLength: 1, maxLength: 30 }).filter((text) => !text.includes("\0"));
const oid = fc.string({ unit: fc.constantFrom(..."0123456789abcdef"), minLength: 40, maxLength: 40 });

describe("the listings of git", () => {
  it("are read back for any path", () => {
    fc.assert(
      fc.property(fc.uniqueArray(path, { maxLength: 8 }), oid, (paths, name) => {
        const tree = paths.map((each) => `100644 blob ${name}      12\t${each}\0`).join("");
        expect(parseTree(Buffer.from(tree))?.map((entry) => entry.path)).toEqual(paths);
        const raw = paths.map((each) => `:100644 100755 ${name} ${name} M\0${each}\0`).join("");
        const counts = paths.map((each) => `3\t4\t${each}\0`).join("");
        expect(parseChanges(Buffer.from(raw))?.map((change) => change.path)).toEqual(paths);
        const census = parseCensus(Buffer.from(raw + counts));
        expect(census?.map((file) => [file.path, file.additions, file.deletions, file.kind])).toEqual(
          paths.map((each) => [each, 3, 4, "modeOnly"]),
        );
      }),
    );
  });

  it("are refused as a whole when a record has another shape", () => {
    expect(parseTree(Buffer.from("100644 blob\0"))).toBeNull();
    expect(parseChanges(Buffer.from(`:100644 100644 ${hex("a")} ${hex("b")} R100\0a\0b\0`))).toBeNull();
    expect(parseChanges(Buffer.from(`:100644 100644 ${hex("a")} ${hex("b")} M\0`))).toBeNull();
    expect(parseCensus(Buffer.from(`:100644 100644 ${hex("a")} ${hex("b")} M\0a\0`))).toBeNull();
    expect(parseCommits(Buffer.from("file\0"), "mark:")).toBeNull();
    expect(parseChanges(Buffer.alloc(0))).toEqual([]);
  });

  it("keep a lost object and a submodule without a size", () => {
    const text = `160000 commit ${hex("a")}       -\tmodule\x00100644 blob ${hex("b")}     BAD\tlost\0`;
    expect(parseTree(Buffer.from(text))?.map(({ type, size }) => [type, size])).toEqual([
      ["commit", null],
      ["blob", null],
    ]);
  });

  it("of refs leave out peeled tags, lines of servers and pseudo refs", () => {
    const text = `ref: refs/heads/trunk\tHEAD\n${hex("a")}\tHEAD\n${hex("a")}\trefs/heads/trunk\n${hex("b")}\trefs/tags/v1^{}\nwarning: x\n`;
    const { head, refs } = parseRemoteRefs(Buffer.from(text));
    expect(head).toBe("trunk");
    expect([...refs]).toEqual([["refs/heads/trunk", hex("a")]]);
    expect(parseRemoteRefs(Buffer.from(`${hex("a")}\tHEAD\n`)).head).toBeNull();
    expect(parseBranches(Buffer.from(`${hex("a")} refs/heads/-f\nnoise\n`))).toEqual([
      { name: "-f", ref: "refs/heads/-f", sha: hex("a") },
    ]);
  });
});

describe("the answers of cat-file", () => {
  const record = fc.oneof(
    fc.record({ kind: fc.constant("object" as const), oid, content: fc.uint8Array({ maxLength: 60 }) }),
    fc.record({ kind: fc.constant("missing" as const), oid }),
  );

  it("are read back however the output is cut into pieces", () => {
    fc.assert(
      fc.property(
        fc.array(record, { maxLength: 8 }),
        fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1 }),
        (records, cuts) => {
          const output = Buffer.concat(
            records.map((one) =>
              one.kind === "missing"
                ? Buffer.from(`${one.oid} missing\n`)
                : Buffer.concat([
                    Buffer.from(`${one.oid} blob ${one.content.length}\n`),
                    one.content,
                    Buffer.from("\n"),
                  ]),
            ),
          );
          const parser = new BatchParser({ maxBytes: 30 });
          const answers: BatchAnswer[] = [];
          for (let at = 0, n = 0; at < output.length; n += 1) {
            const size = cuts[n % cuts.length] ?? 1;
            answers.push(...parser.push(output.subarray(at, at + size)));
            at += size;
          }
          expect(answers).toEqual(
            records.map((one) =>
              one.kind === "missing"
                ? { kind: "missing", name: one.oid }
                : {
                    kind: "object",
                    oid: one.oid,
                    type: "blob",
                    size: one.content.length,
                    content: one.content.length <= 30 ? Buffer.from(one.content) : null,
                  },
            ),
          );
        },
      ),
    );
  });

  it("of another shape are told, never guessed", () => {
    const parser = new BatchParser({ maxBytes: 30 });
    expect(parser.push(Buffer.from("fatal: something\n"))).toEqual([{ kind: "unknown", line: "fatal: something" }]);
    const short = new BatchParser({ maxBytes: 30 });
    expect(short.push(Buffer.from(`${hex("a")} blob 1\nxy`))).toEqual([{ kind: "unknown", line: hex("a") }]);
  });
});

describe("a path in a checkout", () => {
  it("leads back to the path in the commit, and no two paths meet", () => {
    const parts = fc.constantFrom(
      "CLAUDE.md",
      "claude.md",
      ".Cursor-x",
      "src",
      "a.ts",
      "AGENTS.md.adk-inert",
      ".husky",
      "x.adk-inert",
    );
    const paths = fc.array(
      fc.oneof(
        parts,
        path.filter((text) => !text.includes("/")),
      ),
      { minLength: 1, maxLength: 4 },
    );
    fc.assert(
      fc.property(paths, (components) => {
        const whole = components.join("/");
        expect(committedPath(checkoutPath(whole))).toBe(whole);
        for (const part of checkoutPath(whole).split("/")) expect(isAgentConfiguration(part)).toBe(false);
      }),
    );
  });

  it("is unsafe in every spelling of .git and of a way out", () => {
    for (const unsafe of [
      "",
      "/a",
      "a//b",
      "../a",
      "a/..",
      "./a",
      ".git/config",
      "a/.GIT/x",
      ".g\u200cit/x",
      ".git /x",
      "git~1/x",
      "a\\b",
    ])
      expect(isSafeCheckoutPath(unsafe), unsafe).toBe(false);
    for (const safe of [".github/x", "a/.gitignore", "git/x", "...a", "-x", "a b/c\td"])
      expect(isSafeCheckoutPath(safe), safe).toBe(true);
  });
});

describe("a full ref", () => {
  it("is what git would accept and no pattern", () => {
    for (const good of [
      "refs/heads/main",
      "refs/heads/--upload-pack=x",
      "refs/pull/7/head",
      "refs/heads/réf",
      "refs/adk/heads/a.b",
    ])
      expect(isFullRef(good), good).toBe(true);
    for (const bad of [
      "main",
      "refs/",
      "refs/heads/",
      "refs/heads/a..b",
      "refs/heads/a b",
      "refs/heads/*",
      "refs/heads/a:b",
      "refs/heads/a~1",
      "refs/heads/.a",
      "refs/heads/a.lock",
      "refs/heads/a.",
      "refs/heads/a\nb",
      "refs/heads/a@{1}",
      "refs//a",
    ])
      expect(isFullRef(bad), bad).toBe(false);
  });
});
