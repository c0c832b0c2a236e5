import * as Effect from "effect/Effect";
import type { PlatformFailure } from "../platform/errors.ts";
import { badResponse } from "./failures.ts";
import type { Get } from "./request.ts";

export interface Pages {
  readonly items: ReadonlyArray<unknown>;
  /** There are more than `most` pages. */
  readonly cut: boolean;
}

/** The query of the address of the next page; the address itself is built from what was asked, never followed. */
const nextQuery = (next: unknown): string | null => {
  if (typeof next !== "string" || !URL.canParse(next)) return null;
  const { search } = new URL(next);
  return search.length > 1 && search.length < 4096 ? search : null;
};

/** All pages of a list of Bitbucket's (`values`, `next`), at most `most` of them. */
export const pages = (
  get: Get,
  request: { readonly path: string; readonly what: string; readonly most: number },
): Effect.Effect<Pages, PlatformFailure> =>
  Effect.gen(function* () {
    const items: unknown[] = [];
    const [place = ""] = request.path.split("?");
    let path = request.path;
    for (let page = 0; page < request.most; page += 1) {
      const body = (yield* get(path, request.what)) as Readonly<Record<string, unknown>> | null;
      if (body === null || !Array.isArray(body.values)) return yield* badResponse("a list that is none", request.what);
      items.push(...(body.values as ReadonlyArray<unknown>));
      if (body.next === undefined || body.next === null) return { items, cut: false };
      const query = nextQuery(body.next);
      if (query === null) return yield* badResponse("a next page that has no address", request.what);
      path = `${place}${query}`;
    }
    return { items, cut: true };
  });
