import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import * as Effect from "effect/Effect";
import * as Either from "effect/Either";
import * as Layer from "effect/Layer";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { appendDurably, ensureDir } from "../../../effects/store/durableFile.ts";
import { type DocumentSpec, JsonDocuments, layer } from "../../../effects/store/JsonDocument.ts";
import { makeHome, storeLayer, type TestHome } from "../../crash/storeHarness.ts";

interface Counter {
  readonly schema_version: number;
  readonly n: number;
}

const isCounter = (value: unknown): value is Counter =>
  typeof value === "object" && value !== null && typeof Reflect.get(value, "n") === "number";

/** A check that gives only what it knows, as a schema would. */
const counter: DocumentSpec<Counter> = {
  name: "counter.json",
  maxSchema: 1,
  check: (value) =>
    isCounter(value)
      ? Either.right({ schema_version: value.schema_version, n: value.n })
      : Either.left("field n is not a number"),
};

let home: TestHome;
let path: string;
beforeEach(() => {
  home = makeHome();
  path = join(home.base, "counter.json");
});
afterEach(() => home.remove());

const run = <A, E>(effect: Effect.Effect<A, E, JsonDocuments>): Promise<A> =>
  Effect.runPromise(Effect.provide(effect, Layer.provide(layer, storeLayer(home.data))));
const read = Effect.suspend(() => Effect.flatMap(JsonDocuments, (documents) => documents.read(path, counter)));
const count = Effect.flatMap(JsonDocuments, (documents) =>
  documents.update(path, counter, { lock: "counter" }, (current) => {
    const next = { schema_version: 1, n: (current?.n ?? 0) + 1 };
    return Either.right({ next, result: next.n });
  }),
);

describe("a state document", () => {
  it("is null when missing, and loses no update of fibers that meet", async () => {
    expect(await run(read)).toBeNull();
    await run(
      Effect.all(
        Array.from({ length: 20 }, () => count),
        { concurrency: "unbounded" },
      ),
    );
    expect(await run(read)).toEqual({ schema_version: 1, n: 20 });
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(JSON.parse(readFileSync(`${path}.bak`, "utf8")).n).toBe(19);
  });

  it("keeps fields that its check does not know, through update and write", async () => {
    writeFileSync(path, "{ schema_version: 1, n: 5, note: 'mine' /* json5 */ }");
    expect(await run(count)).toBe(6);
    await run(
      Effect.flatMap(JsonDocuments, (documents) => documents.write(path, counter, { schema_version: 1, n: 9 })),
    );
    expect(JSON.parse(readFileSync(path, "utf8"))).toEqual({ schema_version: 1, n: 9, note: "mine" });
  });

  it("is left alone by a change that gives null or fails", async () => {
    await run(count);
    const before = statSync(path).ino;
    const change = (outcome: Either.Either<{ next: null; result: string }, string>) =>
      Effect.flatMap(JsonDocuments, (documents) =>
        Effect.either(documents.update(path, counter, { lock: "counter" }, () => outcome)),
      );
    expect(await run(change(Either.right({ next: null, result: "r" })))).toEqual(Either.right("r"));
    expect(await run(change(Either.left("no")))).toEqual(Either.left("no"));
    expect(statSync(path).ino).toBe(before);
  });

  it("of a newer adk is refused for reading and writing", async () => {
    writeFileSync(path, '{"schema_version":2,"n":1}');
    expect(await run(Effect.flip(read))).toMatchObject({ _tag: "NewerSchema", exitCode: 3, schemaVersion: 2 });
    expect(await run(Effect.flip(count))).toMatchObject({ _tag: "NewerSchema" });
    expect(readFileSync(path, "utf8")).toBe('{"schema_version":2,"n":1}');
  });

  it.each([
    ["", /the file is empty/],
    ['{\n "n": oops}', /counter\.json:2:7.*oops/],
    ['{"n":"1"}', /field n is not a number/],
  ])("that is broken (%j) is named, copied aside and not written over", async (text, message) => {
    writeFileSync(path, text);
    expect(await run(Effect.flip(count))).toMatchObject({
      _tag: "DocumentUnreadable",
      exitCode: 3,
      message: expect.stringMatching(message),
    });
    expect(readFileSync(path, "utf8")).toBe(text);
    expect(readdirSync(home.base).filter((name) => name.startsWith("counter.json.corrupt-"))).toHaveLength(1);
  });

  it("is gone with its last-good copy after remove, which a missing one survives", async () => {
    await run(Effect.zipRight(count, count));
    const remove = Effect.flatMap(JsonDocuments, (documents) => documents.remove(path));
    await run(Effect.zipRight(remove, remove));
    expect(readdirSync(home.base).filter((name) => name.startsWith("counter"))).toEqual([]);
  });
});

describe("a journal", () => {
  it("is appended line by line, 0600, and a torn last line swallows no later one", async () => {
    const journal = join(home.base, "new", "journal.jsonl");
    await Effect.runPromise(appendDurably(journal, "one"));
    writeFileSync(journal, "tw", { flag: "a" });
    await Effect.runPromise(appendDurably(journal, "three\n"));
    expect(readFileSync(journal, "utf8")).toBe("one\ntw\nthree\n");
    expect(statSync(journal).mode & 0o777).toBe(0o600);
  });

  it("stands in folders that are 0700 whatever the umask", async () => {
    const umask = process.umask(0);
    try {
      await Effect.runPromise(ensureDir(join(home.base, "a", "b")));
    } finally {
      process.umask(umask);
    }
    expect(["a", "a/b"].map((folder) => statSync(join(home.base, folder)).mode & 0o777)).toEqual([0o700, 0o700]);
  });
});
