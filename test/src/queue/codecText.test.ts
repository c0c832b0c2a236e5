import * as Either from "effect/Either";
import { describe, expect, it } from "vitest";
import { type DecodedQueue, decodeSealedQueue, encodeQueue, type QueueProblem } from "../../../src/queue/codec.ts";
import { decodeQueueText } from "../../../src/queue/codecText.ts";
import { newRow, type QueueRow } from "../../../src/queue/row.ts";

const row = (number: number, fields: Readonly<Record<string, unknown>> = {}): string =>
  JSON.stringify({
    ...newRow({
      platform: "github",
      host: "github.com",
      owner: "acme",
      repo: "shop",
      pr_number: number,
      pr_url: `https://github.com/acme/shop/pull/${number}`,
    }),
    ...fields,
  });

const read = (text: string): DecodedQueue =>
  Either.getOrThrowWith(decodeQueueText(Buffer.from(text)), (problem) => new Error(JSON.stringify(problem)));
const fault = (text: string): QueueProblem => Either.getOrThrow(Either.flip(decodeQueueText(Buffer.from(text))));
const write = (decoded: DecodedQueue, rows: ReadonlyArray<QueueRow>): string =>
  Either.getOrThrow(encodeQueue(decoded, { schema_version: 4, rev: 2, prs: rows })).bytes.toString("utf8");

const commented = `// top of the file
// second line
{
  schema_version: 4, rev: 1,
  owner_note: 'kept', /* about the note */
  prs: [ // behind the bracket
    // team A, apart from any row

    // about one
    ${row(1)}, // behind one
    /* about two,
       {in two lines} */
    {pr_url: 'https://github.com/acme/shop/pull/2', title: "two", /* inside two */},

    // team B

    // about three
    ${row(3)}
    // at the end
  ],
}
// below all
`;

const above = (text: string, number: number): string => {
  const lines = text.split("\n");
  const at = lines.findIndex((line) => line.startsWith("{") && line.includes(`/pull/${number}"`));
  let start = at;
  while (start > 0 && lines[start - 1] !== "" && !/^\{/.test(lines[start - 1] ?? "")) start -= 1;
  return lines.slice(start, at).join("\n");
};

describe("comments of a hand-edited file", () => {
  const decoded = read(commented);
  const [one, two, three] = decoded.queue.prs as readonly [QueueRow, QueueRow, QueueRow];

  it("are all there after a write, and the file reads back sealed", () => {
    const text = write(decoded, [one, two, three]);
    for (const comment of commented.match(/\/\/ .*|\/\*[\s\S]*?\*\//g) ?? []) expect(text).toContain(comment);
    expect(decodeSealedQueue(Buffer.from(text))?.queue.prs).toEqual([one, two, three]);
    expect(text).toContain('"owner_note":"kept"');
  });

  it("stand above their own row", () => {
    const text = write(decoded, [one, two, three]);
    expect(above(text, 1)).toBe("// about one\n// behind one");
    expect(above(text, 2)).toBe("/* about two,\n       {in two lines} */\n/* inside two */");
    expect(above(text, 3)).toBe("// about three");
  });

  it("go with their row when it is deleted, and no other comment goes with it", () => {
    const text = write(decoded, [one, three]);
    expect(text).not.toMatch(/two/);
    expect(above(text, 1)).toBe("// about one\n// behind one");
    expect(above(text, 3)).toBe("// about three");
    for (const kept of ["team A", "team B", "at the end", "top of the file", "below all"]) expect(text).toContain(kept);
  });

  it("follow their row to another place and through a change of its fields", () => {
    const text = write(decoded, [{ ...three, title: "moved" }, one]);
    expect(above(text, 3)).toBe("// about three");
    expect(above(text, 1)).toBe("// about one\n// behind one");
  });

  it("stay when every row is deleted, as far as they are no row's own", () => {
    const text = write(decoded, []);
    expect(text).toMatch(/team A[\s\S]*team B[\s\S]*at the end/);
    expect(text).not.toMatch(/about one|about three/);
    expect(decodeSealedQueue(Buffer.from(text))?.queue.prs).toEqual([]);
  });

  it("survive any number of later writes unchanged", () => {
    let text = write(decoded, [one, two, three]);
    const first = text;
    for (let turn = 0; turn < 3; turn += 1) {
      const again = decodeSealedQueue(Buffer.from(text));
      if (again === null) throw new Error("not sealed");
      text = write(again, again.queue.prs);
    }
    expect(text).toBe(first);
  });
});

describe("what is refused, and how it is named", () => {
  it.each([
    ["", /empty/],
    [" \n", /empty/],
    ["\0\0\0", /NUL/],
    ["[]", /top level is a list/],
    ["17", /top level is not an object/],
    [`{"prs": [\n<<<<<<< HEAD\n${row(1)}\n=======\n${row(2)}\n>>>>>>> other\n]}`, /merge conflict/],
    [`{schema_version: 4, rows: [], rows: [1], prs: []}`, /key rows is there twice/],
    [`{schema_version: 4, prs: [{"title": 1, "ti\\u0074le": 2}]}`, /key title is there twice/],
    [`{schema_version: 4, prs: [{"__proto__": {}}]}`, /key __proto__ is not allowed/],
    [`{schema_version: 4, prs: [{a: {constructor: 1}}]}`, /key constructor is not allowed/],
    [`{schema_version: 4, pr: []}`, /prs, the list of rows, is missing/],
    [`{schema_version: 4, prs: {}}`, /prs is not a list/],
    [`{schema_version: "4", prs: []}`, /schema_version is not a whole number/],
    [`{schema_version: 4, prs: [1]}`, /row 1 is not an object/],
    [`{schema_version: 4, prs: [{}]}`, /row 1, field pr_url: is missing/],
  ])("%j", (text, message) => {
    expect(fault(text).message).toMatch(message);
  });

  it("a torn file gives line and column", () => {
    const text = `// head\n{"schema_version": 4, "rev": 1, "prs": [\n${row(1)},\n${row(2).slice(0, 40)}`;
    expect(fault(text)).toMatchObject({ line: 4, column: 41, near: row(2).slice(0, 40) });
  });

  it("a wrong field gives row, address and field", () => {
    const problem = fault(`{"schema_version": 4, "prs": [\n${row(1)},\n${row(2, { status: "done" })}\n]}`);
    expect(problem.message).toMatch(
      /^row 2 \(https:\/\/github\.com\/acme\/shop\/pull\/2\), field status: is .*must be one of pending, in_review/,
    );
    expect(problem.line).toBe(3);
    expect(fault(`{"schema_version": 4, "prs": [${row(1, { taken_at: "yesterday" })}]}`).message).toMatch(
      /taken_at: is not a time/,
    );
  });

  it("two rows of one PR are refused by name", () => {
    const problem = fault(`{"schema_version": 4, "prs": [\n${row(1)},\n${row(1, { repo: "SHOP" })}\n]}`);
    expect(problem).toMatchObject({ line: 3, message: expect.stringMatching(/rows 1 and 2 are the same PR/) });
  });

  it("bytes that are no UTF-8 are refused", () => {
    const problem = Either.getOrThrow(Either.flip(decodeQueueText(Buffer.from([0x7b, 0xff, 0x7d]))));
    expect(problem.message).toMatch(/not UTF-8/);
  });
});

describe("older and newer files", () => {
  const old = `{ "filters": null, "prs": [
    {"pr_link": "http://github.com/acme/shop/pull/7/files", "head_oid": "aaa", "last_reviewed_head_oid": "bbb",
     "status": "declined", "last_checked_at": "2026-01-02T03:04:05.678+01:00", "taken_at": "2026-01-02 03:04:05", "taken_by": "desk",
     "supporting_docs": null},
    {"pr_url": "https://bitbucket.org/team/site/pull-requests/8", "pr_link": "https://github.com/no/no/pull/1",
     "head_sha": "new", "head_oid": "old", "status": "needs_fix"},
  ]}`;

  it("get today's names, identity and times; today's name wins; nothing unknown is dropped", () => {
    const decoded = read(old);
    expect(decoded.older).toBe(3);
    expect(decoded.queue.schema_version).toBe(4);
    expect(decoded.queue.prs[0]).toMatchObject({
      pr_url: "https://github.com/acme/shop/pull/7",
      platform: "github",
      host: "github.com",
      owner: "acme",
      repo: "shop",
      pr_number: 7,
      head_sha: "aaa",
      last_reviewed_head_sha: "bbb",
      status: "closed",
      last_checked_at: "2026-01-02T02:04:05Z",
      taken_at: "2026-01-02T03:04:05Z",
      taken_by: "desk",
      supporting_docs: [],
      prep_status: "pending",
    });
    expect(decoded.queue.prs[1]).toMatchObject({
      platform: "bitbucket",
      owner: "team",
      head_sha: "new",
      status: "comments",
    });
    expect(JSON.stringify(decoded.queue.prs)).not.toMatch(/pr_link|_oid|no\/no/);
    expect(decoded.layout.extra).toEqual({ filters: null });
  });

  it("converge: what is written is read as version 4, with the same rows", () => {
    const decoded = read(old);
    const again = decodeSealedQueue(Buffer.from(write(decoded, decoded.queue.prs)));
    expect(again?.older).toBeNull();
    expect(again?.queue.prs).toEqual(decoded.queue.prs);
  });

  it("a newer file is read with its rows as they are", () => {
    const decoded = read(`{"schema_version": 99, "rev": 5, "prs": [${row(1, { status: "levitating" })}]}`);
    expect(decoded.queue).toMatchObject({ schema_version: 99, rev: 5, prs: [{ status: "levitating" }] });
  });

  it("a row that a person added with nothing but its address is complete", () => {
    const decoded = read(`{schema_version: 4, rev: 1, prs: [{pr_url: 'https://github.com/acme/shop/pull/9'}]}`);
    expect(decoded.queue.prs).toEqual([JSON.parse(row(9))]);
  });
});
