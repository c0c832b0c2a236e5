// Writes every generated file; `--check` writes nothing and fails naming those that are stale.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { caseDocs } from "./gen/cases.ts";
import { cliDocs } from "./gen/cli.ts";
import type { GeneratedFile } from "./gen/cliFile.ts";
import { configDocs } from "./gen/config.ts";
import { grammarPatterns } from "./gen/grammars.ts";
import { machineDocs } from "./gen/machines.ts";

type Files = ReadonlyArray<GeneratedFile>;
const generators: ReadonlyArray<() => Files | Promise<Files>> = [
  caseDocs,
  cliDocs,
  configDocs,
  grammarPatterns,
  machineDocs,
];

const root = resolve(dirname(process.argv[1] ?? ""), "..");

const current = (path: string): string | undefined => {
  try {
    return readFileSync(join(root, path), "utf8");
  } catch {
    return undefined;
  }
};

const made = await Promise.all(generators.map((make) => make()));
const stale = made.flat().filter((file) => current(file.path) !== file.text);
if (process.argv.includes("--check")) {
  for (const file of stale) process.stderr.write(`${file.path} is stale: run npm run gen\n`);
  process.exitCode = stale.length === 0 ? 0 : 1;
} else {
  for (const file of stale) {
    mkdirSync(dirname(join(root, file.path)), { recursive: true });
    writeFileSync(join(root, file.path), file.text);
    process.stdout.write(`wrote ${file.path}\n`);
  }
}
