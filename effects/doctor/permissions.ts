import { constants } from "node:fs";
import { open, realpath } from "node:fs/promises";
import * as Effect from "effect/Effect";
import { type Check, type Finding, pass, warn } from "./finding.ts";
import { type WalkedEntry, walk } from "./walk.ts";

/** Folders whose inside is git's or LanceDB's: closed by the 0700 of the folder itself. */
const closed: ReadonlySet<string> = new Set(["original-clone", "code", "chunks.lance"]);
const maxEntries = 50_000;

const isLoose = ({ info }: WalkedEntry): boolean =>
  (info.isFile() || info.isDirectory()) && (info.mode & 0o077) !== 0 && info.uid === process.getuid?.();

/** Takes group's and others' rights away; through a descriptor, so that a link put there meanwhile is not followed. */
const tighten = async ({ path }: WalkedEntry): Promise<boolean> => {
  const handle = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK).catch(() => null);
  if (handle === null) return false;
  try {
    const { mode } = await handle.stat();
    await handle.chmod(mode & 0o700);
    return true;
  } catch {
    return false;
  } finally {
    await handle.close();
  }
};

const examples = (entries: ReadonlyArray<WalkedEntry>): string => {
  const shown = entries.slice(0, 3).map(({ path }) => path);
  return shown.join(", ") + (entries.length > shown.length ? ", …" : "");
};

const inspect = async (roots: ReadonlyArray<string>, fix: boolean): Promise<Finding> => {
  const real = await Promise.all(roots.map((root) => realpath(root).catch(() => root)));
  const walks = await Promise.all([...new Set(real)].map((root) => walk(root, { entries: maxEntries, closed })));
  const entries = walks.flatMap((walked) => walked.entries);
  const loose = entries.filter(isLoose);
  if (loose.length === 0) {
    const more = walks.every((walked) => walked.complete) ? "" : "; there are more that were not looked at";
    return pass("permissions", `${entries.length} looked at, none open to others${more}`);
  }
  const what = `${loose.length} of adk's files and folders can be read by others: ${examples(loose)}`;
  if (!fix) return warn("permissions", what, "adk doctor --fix");
  const stuck: WalkedEntry[] = [];
  for (const entry of loose) if (!(await tighten(entry))) stuck.push(entry);
  return stuck.length === 0
    ? pass("permissions", `${loose.length} closed to others`)
    : warn("permissions", `cannot be closed to others: ${examples(stuck)}`, `chmod go= ${stuck[0]?.path ?? ""}`);
};

/** Files 0600 and folders 0700 in the data home and the configuration folder (threat T13); `--fix` mends them. */
export const permissionsCheck: Check = {
  name: "permissions",
  run: ({ home, fix }) =>
    Effect.map(
      Effect.promise(() => inspect([home.data, home.config], fix)),
      (finding) => [finding],
    ),
};
