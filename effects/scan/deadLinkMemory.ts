import { join } from "node:path";
import * as Effect from "effect/Effect";
import * as Either from "effect/Either";
import { type DeadLink, type DeadLinks, noDeadLinks, withLooks } from "../../src/scan/deadLinks.ts";
import { Home } from "../home/Home.ts";
import { Log } from "../log/Log.ts";
import { JsonDocuments } from "../store/JsonDocument.ts";

const isText = (value: unknown): value is string => typeof value === "string";

const isDeadLink = (value: unknown): value is DeadLink => {
  if (typeof value !== "object" || value === null) return false;
  const { key, looked_up_at, why, asked_as, mentions } = value as Readonly<Record<string, unknown>>;
  if (!Array.isArray(mentions) || !(asked_as === null || isText(asked_as))) return false;
  return [key, looked_up_at, why, ...mentions].every(isText);
};

const document = {
  name: "dead-links.json",
  maxSchema: 1,
  check: (value: unknown): Either.Either<DeadLinks, string> =>
    typeof value === "object" &&
    value !== null &&
    "links" in value &&
    Array.isArray(value.links) &&
    value.links.every(isDeadLink)
      ? Either.right({ schema_version: 1, links: value.links })
      : Either.left("is no list of dead links"),
};

/** Beside other things that are only faster for being kept: without it every dead link is looked up and named again. */
const pathIn = (cache: string): string => join(cache, "dead-links.json");

const unusable = (error: { readonly message: string }) =>
  Effect.flatMap(Log, (log) => log.warn(`${error.message}; dead links are looked up again`));

/** What scans before this one remember. A memory that cannot be read is said and is none. */
export const deadLinkMemory = Effect.gen(function* () {
  const documents = yield* JsonDocuments;
  const { cache } = yield* Home;
  return yield* documents.read(pathIn(cache), document).pipe(
    Effect.map((memory) => memory ?? noDeadLinks),
    Effect.catchAll((error) => Effect.as(unusable(error), noDeadLinks)),
  );
});

/**
 * Remembers what a scan looked up; gives the keys of the dead links that no scan has named yet. A memory that cannot be
 * read is begun anew; one that cannot be written is said, and the next scan looks the links up again.
 */
export const rememberLooks = (looks: { readonly dead: ReadonlyArray<DeadLink>; readonly alive: ReadonlySet<string> }) =>
  Effect.gen(function* () {
    const documents = yield* JsonDocuments;
    const path = pathIn((yield* Home).cache);
    const all: ReadonlySet<string> = new Set(looks.dead.map(({ key }) => key));
    return yield* documents
      .update<DeadLinks, ReadonlySet<string>, never>(path, document, { lock: "dead-links" }, (current) => {
        const before = current ?? noDeadLinks;
        const { memory, news } = withLooks(before, looks);
        return Either.right({ next: memory === before ? null : memory, result: news });
      })
      .pipe(
        Effect.catchTag("DocumentUnreadable", () =>
          Effect.as(documents.write(path, document, withLooks(noDeadLinks, looks).memory), all),
        ),
        Effect.catchAll((error) => Effect.as(unusable(error), all)),
      );
  });
