import type { Transition } from "../support/world.ts";
import { baseThatExpires, baseThatIsBuilt, baseThatIsPromoted, baseThatIsRefreshed } from "./bases.ts";
import { rowThatFails, rowThatIsCutOff, rowThatMoves } from "./rows.ts";
import { syncThatEnds } from "./syncs.ts";

/** A part of the whole-CLI scenario: throws when adk does not do what it must; gives the transitions it saw. */
export interface Chapter {
  readonly name: string;
  /** The machine that the chapter is about. */
  readonly machine: "prep" | "base" | "sync";
  readonly run: (program?: string) => Promise<ReadonlyArray<Transition>>;
}

/** The scenario that walks every transition of the preparation, base and sync machines through the CLI. */
export const chapters: ReadonlyArray<Chapter> = [
  { name: "a row that moves and ends", machine: "prep", run: rowThatMoves },
  { name: "a row that fails", machine: "prep", run: rowThatFails },
  { name: "a row that is cut off", machine: "prep", run: rowThatIsCutOff },
  { name: "a base that is built", machine: "base", run: baseThatIsBuilt },
  { name: "a base that is refreshed", machine: "base", run: baseThatIsRefreshed },
  { name: "a base that is promoted", machine: "base", run: baseThatIsPromoted },
  { name: "a base that expires", machine: "base", run: baseThatExpires },
  { name: "a sync that ends", machine: "sync", run: syncThatEnds },
];
