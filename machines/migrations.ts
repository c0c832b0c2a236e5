import * as Either from "effect/Either";
import type { ActorSnapshot } from "../src/queue/row.ts";

/** One step of a machine's history: version N → N + 1 of its snapshots. Pure; may throw nothing. */
export type Migration = (old: ActorSnapshot) => Omit<ActorSnapshot, "version">;

/** Migrations by the version they start from; version 1 is the first that was ever stored. */
export type Migrations = Readonly<Record<number, Migration>>;

/** Brings a stored snapshot to `version`; Left says why it cannot be. */
export const migrate = (
  stored: ActorSnapshot,
  target: { readonly version: number; readonly migrations: Migrations },
): Either.Either<ActorSnapshot, string> => {
  if (stored.version > target.version)
    return Either.left(`it was written by a newer adk (version ${stored.version}, known up to ${target.version})`);
  let snapshot = stored;
  while (snapshot.version < target.version) {
    const migration = target.migrations[snapshot.version];
    if (migration === undefined) return Either.left(`there is no migration from version ${snapshot.version}`);
    snapshot = { ...migration(snapshot), version: snapshot.version + 1 };
  }
  return Either.right(snapshot);
};
