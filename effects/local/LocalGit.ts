import type * as Context from "effect/Context";
import type { Git } from "../git/Git.ts";

/** The part of the Git service that reads a person's own repository; nothing here changes it. */
export type LocalGit = Pick<
  Context.Tag.Service<Git>,
  "localRepository" | "resolve" | "isAncestor" | "mergeBase" | "census" | "log"
>;
