import * as Either from "effect/Either";
import { type BranchMeta, baseStates, type RepoMeta } from "../../src/repo/repoMeta.ts";

type Fields = Readonly<Record<string, unknown>>;

const object = (value: unknown): Either.Either<Fields, string> =>
  typeof value === "object" && value !== null && !Array.isArray(value)
    ? Either.right(value as Fields)
    : Either.left("is not an object");

const texts = (fields: Fields, names: ReadonlyArray<string>): string | null => {
  for (const name of names) {
    if (typeof fields[name] !== "string") return `field ${name} is not a text`;
  }
  return null;
};

/** repo-meta.json as adk writes it. */
export const repoMetaDocument = {
  name: "repo-meta.json",
  maxSchema: 1,
  check: (value: unknown): Either.Either<RepoMeta, string> =>
    Either.flatMap(object(value), (fields) => {
      const wrong = texts(fields, ["name", "platform", "host", "owner", "repo", "url"]);
      if (wrong !== null) return Either.left(wrong);
      if (!Array.isArray(fields.tracked_branches)) return Either.left("field tracked_branches is not a list");
      return Either.right(fields as unknown as RepoMeta);
    }),
};

/** branch-meta.json as adk writes it. */
export const branchMetaDocument = {
  name: "branch-meta.json",
  maxSchema: 1,
  check: (value: unknown): Either.Either<BranchMeta, string> =>
    Either.flatMap(object(value), (fields) => {
      const wrong = texts(fields, ["branch", "slug", "created_by", "created_at", "state"]);
      if (wrong !== null) return Either.left(wrong);
      if (fields.created_by !== "user" && fields.created_by !== "auto") {
        return Either.left("field created_by is neither user nor auto");
      }
      if (!baseStates.some((state) => state === fields.state))
        return Either.left("field state names no state of a base");
      return Either.right(fields as unknown as BranchMeta);
    }),
};
