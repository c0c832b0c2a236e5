import * as Either from "effect/Either";
import * as fc from "fast-check";
import JSON5 from "json5";
import { describe, expect, it } from "vitest";
import { type DecodedQueue, decodeSealedQueue, emptyQueue, encodeQueue } from "../../../src/queue/codec.ts";
import { decodeQueueText } from "../../../src/queue/codecText.ts";
import { newRow, type QueueFile, type QueueRow } from "../../../src/queue/row.ts";

const row = (number: number, fields: Partial<QueueRow> = {}): QueueRow => ({
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

const encode = (previous: DecodedQueue, queue: QueueFile): Buffer =>
  Either.getOrThrowWith(encodeQueue(previous, queue), (problem) => new Error(problem.message)).bytes;

const file = (rows: ReadonlyArray<QueueRow>, rev = 1): QueueFile => ({ schema_version: 4, rev, prs: rows });

const sealed = (bytes: Buffer): DecodedQueue => {
  const decoded = decodeSealedQueue(bytes);
  if (decoded === null) throw new Error(`not read as sealed:\n${bytes.toString("utf8")}`);
  return decoded;
};

const edited = (text: string): DecodedQueue =>
  Either.getOrThrowWith(decodeQueueText(Buffer.from(text)), (problem) => new Error(JSON.stringify(problem)));

const hostile = fc.oneof(
  fc.string({ unit: "binary" }),
  fc.constantFrom(
    "\u2028",
    "\u2029",
    "\0",
    `'b"c'`,
    "\\",
    "// x",
    "/* x */",
    '",\n{',
    "]}",
    "\ud800",
    "\r\n",
    "é\u{1f600}",
  ),
);

const anyRow = (number: number) =>
  fc
    .record({ title: fc.option(hostile), author: fc.option(hostile), note: fc.jsonValue({ maxDepth: 2 }) })
    .filter(({ note }) => !/__proto__|constructor|prototype/.test(JSON.stringify(note)))
    .map((fields) => ({ ...row(number), ...fields }) as QueueRow);

const anyRows = fc
  .uniqueArray(fc.integer({ min: 1, max: 60 }), { maxLength: 8 })
  .chain((numbers) => fc.tuple(...numbers.map(anyRow)));

/** What JSON can hold of a value: `-0` is `0`, a lone surrogate stays. */
const plain = <T>(value: T): T => JSON.parse(JSON.stringify(value));

describe("a queue that adk writes", () => {
  it("is read back as it was, by the fast reader, the full reader and plain JSON5, whatever its strings hold", () => {
    fc.assert(
      fc.property(anyRows, (rows) => {
        const bytes = encode(emptyQueue, file(plain(rows)));
        expect(sealed(bytes).queue).toEqual(file(plain(rows)));
        expect(edited(bytes.toString("utf8")).queue).toEqual(file(plain(rows)));
        expect(JSON5.parse(bytes.toString("utf8")).prs).toEqual(plain(rows));
      }),
      { numRuns: 200 },
    );
  });

  it("holds one row a line, each line strict JSON", () => {
    const text = encode(emptyQueue, file([row(1, { title: "a\nb" }), row(2)])).toString("utf8");
    const lines = text.split("\n").filter((line) => line.startsWith('{"pr_url"'));
    expect(lines.map((line) => JSON.parse(line.replace(/,$/, "")).pr_number)).toEqual([1, 2]);
  });

  it("keeps the bytes of every line that a change does not touch", () => {
    fc.assert(
      fc.property(anyRows, fc.nat(), (given, pick) => {
        const rows = plain(given);
        if (rows.length === 0) return;
        const first = sealed(encode(emptyQueue, file(rows)));
        const at = pick % rows.length;
        const next = first.queue.prs.map((old, index) => (index === at ? { ...old, title: "changed" } : old));
        const after = sealed(encode(first, file(next, 2)));
        const kept = (lines: ReadonlyArray<string | null>) => lines.filter((_, index) => index !== at);
        expect(kept(after.layout.lines())).toEqual(kept(first.layout.lines()));
        expect(after.queue.prs[at]?.title).toBe("changed");
      }),
      { numRuns: 100 },
    );
  });

  it("writes the same bytes again for the same queue", () => {
    const bytes = encode(emptyQueue, file([row(1), row(2)]));
    const decoded = sealed(bytes);
    expect(encode(decoded, decoded.queue).equals(bytes)).toBe(true);
  });

  it("gives the layout that the next read would find", () => {
    const first = edited(`// mine\n{schema_version: 4, rev: 1, x: 1, prs: [\n// a\n${JSON.stringify(row(1))}]}`);
    const encoded = Either.getOrThrow(encodeQueue(first, file([...first.queue.prs, row(2)], 2)));
    const found = sealed(encoded.bytes);
    expect(found.layout.header).toBe(encoded.decoded.layout.header);
    expect(found.layout.lines()).toEqual(encoded.decoded.layout.lines());
    expect([...found.layout.comments]).toEqual([...encoded.decoded.layout.comments]);
    expect(found.layout.extra).toEqual({ x: 1 });
    expect(encode(found, found.queue).equals(encoded.bytes)).toBe(true);
  });

  it("refuses two rows of one PR, also when only their case differs", () => {
    const first = sealed(encode(emptyQueue, file([row(1), row(2)])));
    const twice = encodeQueue(first, file([...first.queue.prs, row(1, { owner: "ACME" })]));
    expect(Either.getOrThrow(Either.flip(twice)).message).toMatch(/rows 1 and 3 are both/);
    const renamed = first.queue.prs.map((old, index) => (index === 1 ? { ...old, pr_number: 1 } : old));
    expect(Either.isLeft(encodeQueue(first, file(renamed)))).toBe(true);
  });

  it("refuses what JSON cannot give back: NaN, a prototype key", () => {
    expect(Either.isLeft(encodeQueue(emptyQueue, file([row(1, { additions: Number.NaN })])))).toBe(true);
    const attempts = JSON.parse('{"__proto__": 1}');
    expect(Either.isLeft(encodeQueue(emptyQueue, file([row(1, { review_attempts: attempts })])))).toBe(true);
  });

  it("is no longer taken for sealed when one byte changed", () => {
    const bytes = encode(emptyQueue, file([row(1, { title: "abc" })]));
    expect(decodeSealedQueue(Buffer.from(bytes.toString("utf8").replace("abc", "abd")))).toBeNull();
    expect(edited(bytes.toString("utf8").replace("abc", "abd")).queue.prs[0]?.title).toBe("abd");
  });

  it("is not fooled by a title that looks like the seal", () => {
    const title = `// written by adk, sha256 ${"0".repeat(64)}`;
    const bytes = encode(emptyQueue, file([row(1, { title })]));
    expect(sealed(bytes).queue.prs[0]?.title).toBe(title);
    const next = sealed(bytes);
    expect(sealed(encode(next, file([...next.queue.prs, row(2)], 2))).queue.prs).toHaveLength(2);
  });
});
