import { access, constants, readFile, statfs } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname } from "node:path";
import * as Effect from "effect/Effect";
import { type Check, type Finding, fail, megabytes, pass, warn } from "./finding.ts";

/** Oldest version that the package is tested with (package.json, "engines"). */
const minNode = [20, 19] as const;

/** First git without the holes in submodule and path handling that threat T6 names. */
const minGit = "2.43.7";

const parts = (version: string): ReadonlyArray<number> =>
  version.split(".").map((part) => Number.parseInt(part, 10) || 0);

/** True when `version` comes before `least`; both dotted numbers. */
export const isOlder = (version: string, least: string): boolean => {
  const [a, b] = [parts(version), parts(least)];
  for (let at = 0; at < Math.max(a.length, b.length); at += 1) {
    const difference = (a[at] ?? 0) - (b[at] ?? 0);
    if (difference !== 0) return difference < 0;
  }
  return false;
};

export const nodeFinding = (version: string): Finding =>
  isOlder(version, minNode.join("."))
    ? fail("node", `Node ${version}`, `install Node ${minNode.join(".")} or later`)
    : pass("node", `Node ${version}`);

export const gitFinding = (version: string, strict: boolean): Finding => {
  if (!isOlder(version, minGit)) return pass("git", `git ${version}`);
  const detail = `git ${version} has known holes when it handles a hostile repository`;
  return (strict ? fail : warn)("git", detail, `install git ${minGit} or later`);
};

/** What /proc/cpuinfo says about AVX2 and FMA, which the vector store's native code uses without asking. */
export const cpuFinding = (cpuinfo: string): Finding => {
  const flags = new Set((/^flags\s*:([^\n]*)/m.exec(cpuinfo)?.[1] ?? "").trim().split(/\s+/));
  const missing = ["avx2", "fma"].filter((flag) => !flags.has(flag));
  if (missing.length === 0) return pass("cpu", "AVX2 and FMA are there");
  const detail = `this processor lacks ${missing.join(" and ")}; the vector store would end the process`;
  return fail("cpu", detail, "run adk on a machine with AVX2 and FMA");
};

const cpu = Effect.promise(async (): Promise<Finding> => {
  if (process.arch !== "x64") return pass("cpu", process.arch);
  if (process.platform !== "linux") return pass("cpu", "x64");
  return cpuFinding(await readFile("/proc/cpuinfo", "utf8").catch(() => "flags: avx2 fma"));
});

const nativePackage = (): string => {
  const libc = process.platform === "linux" ? `-${isGlibc() ? "gnu" : "musl"}` : "";
  const abi = process.platform === "win32" ? "-msvc" : libc;
  return `@lancedb/lancedb-${process.platform}-${process.arch}${abi}`;
};

const isGlibc = (): boolean => {
  const header = (process.report?.getReport() as { header?: { glibcVersionRuntime?: string } } | undefined)?.header;
  return header?.glibcVersionRuntime !== undefined;
};

/** The native parts are installed for this system and processor: an installation copied from elsewhere lacks them. */
const nativeParts = Effect.sync((): Finding => {
  const { resolve } = createRequire(import.meta.url);
  const missing = [nativePackage(), "fs-native-extensions"].filter((name) => {
    try {
      return resolve(name) === "";
    } catch {
      return true;
    }
  });
  return missing.length === 0
    ? pass("native parts", `installed for ${process.platform}-${process.arch}`)
    : fail(
        "native parts",
        `not installed for this system: ${missing.join(", ")}`,
        "run install.sh again on this machine",
      );
});

// statfs(2) magic numbers of Linux.
const remoteSystems: Readonly<Record<number, string>> = {
  26985: "NFS",
  20859: "SMB",
  4283649346: "CIFS",
  4266872130: "SMB",
  1702057286: "FUSE",
  16914839: "9P",
  1397113167: "AFS",
};

export const fileSystemFinding = (type: number, freeBytes: number): Finding => {
  const remote = remoteSystems[type];
  if (remote !== undefined)
    return warn(
      "file system",
      `the data home is on ${remote}, where locks and renames may not be what they promise`,
      "set ADK_DATA_HOME to a folder on a local disk",
    );
  if (freeBytes < 1_000_000_000)
    return warn(
      "file system",
      `${megabytes(freeBytes)} free`,
      "free some space, or move ADK_DATA_HOME to another disk",
    );
  return pass("file system", `local, ${megabytes(freeBytes)} free`);
};

const existing = async (path: string): Promise<Awaited<ReturnType<typeof statfs>> | null> => {
  const found = await statfs(path).catch(() => null);
  return found !== null || dirname(path) === path ? found : existing(dirname(path));
};

/** Checks of the machine that adk runs on. */
export const machineChecks: ReadonlyArray<Check> = [
  { name: "node", run: () => Effect.sync(() => [nodeFinding(process.versions.node)]) },
  { name: "git", run: (input) => Effect.map(input.gitVersion, (version) => [gitFinding(version, input.strict)]) },
  { name: "cpu", run: () => Effect.map(cpu, (finding) => [finding]) },
  { name: "native parts", run: () => Effect.map(nativeParts, (finding) => [finding]) },
  {
    name: "locks",
    run: (input) =>
      Effect.map(input.lockMechanism, (name) => [
        name === "epoch-chain"
          ? warn(
              "locks",
              "kernel locks do not load here; the slower fallback is in use",
              "run install.sh again on this machine",
            )
          : pass("locks", name),
      ]),
  },
  {
    name: "file system",
    run: ({ home }) =>
      Effect.promise(async () => {
        const found = await existing(home.data);
        const refused = await access(home.data, constants.W_OK).then(
          () => null,
          (error: NodeJS.ErrnoException) => (error.code === "ENOENT" ? null : (error.code ?? "an error")),
        );
        if (refused !== null) {
          return [
            fail("file system", `${home.data} cannot be written: ${refused}`, "make it writable, or set ADK_DATA_HOME"),
          ];
        }
        return [
          found === null
            ? warn("file system", "cannot be told", "check that ADK_DATA_HOME exists")
            : fileSystemFinding(
                process.platform === "linux" ? Number(found.type) : 0,
                Number(found.bavail) * Number(found.bsize),
              ),
        ];
      }),
  },
];
