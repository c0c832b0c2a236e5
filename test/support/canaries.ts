import { existsSync, lstatSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** Values that must be found nowhere in what a test of this file has written. */
const planted = new Set<string>();

const secretName = /(?:^|_)(?:TOKEN|KEY|SECRET|CREDS?|PASSWORD|PAT)$/i;
const shortest = 12;
const largestFile = 64 * 1024 * 1024;

/** A value that is looked for when the test's folders are removed; its first 12 characters must be no ordinary words. */
export const plant = (value: string): string => {
  if (value.length < shortest) throw new Error("a canary must be at least 12 characters long");
  planted.add(value);
  return value;
};

/** Plants every value of an environment that is named like a secret. */
export const plantEnvironment = (env: NodeJS.ProcessEnv): void => {
  // A claim prints its token: that is how its owner gets it.
  for (const [name, value] of Object.entries(env))
    if (value !== undefined && value.length >= shortest && name !== "ADK_CLAIM_TOKEN" && secretName.test(name))
      planted.add(value);
};

/** What every program of the tests has in its environment and nothing may ever write down. */
export const ambientSecrets: Readonly<Record<string, string>> = {
  NPM_TOKEN: "npmCanary-5vT0/q+Zx7Kd=2f",
  DEPLOY_KEY: "deployCanary'9\"$w Q~8h\\k3",
};

const base64Forms = (value: string): ReadonlyArray<string> =>
  [0, 1, 2].map((offset) => {
    const bytes = Buffer.concat([Buffer.alloc(offset), Buffer.from(value)]);
    return bytes.toString("base64").slice(Math.ceil((offset * 8) / 6), Math.floor((bytes.length * 8) / 6));
  });

/** Beginnings of the value as it is, URL-, base64-, shell-, JSON- and hex-encoded: a cut-off secret counts, too. */
const needles = (value: string): ReadonlyArray<string> => {
  const forms = [value, encodeURIComponent(value), ...base64Forms(value), Buffer.from(value).toString("hex")];
  const escaped = [value.replaceAll(/[^A-Za-z0-9_]/g, "\\$&"), JSON.stringify(value).slice(1, -1)];
  return [...new Set([...forms, ...escaped].map((form) => form.slice(0, shortest)))];
};

/** The planted values of which some form stands in the bytes. */
export const canariesIn = (bytes: Buffer | string): ReadonlyArray<string> =>
  [...planted].filter((value) => needles(value).some((needle) => bytes.includes(needle)));

/** `file: value` for every planted value below a folder; links are not followed. */
export const canariesBelow = (folder: string): ReadonlyArray<string> => {
  if (planted.size === 0 || !existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true, withFileTypes: true }).flatMap((entry) => {
    const file = join(entry.parentPath, entry.name);
    if (!entry.isFile() || lstatSync(file).size > largestFile) return [...canariesIn(entry.name)];
    return [...canariesIn(readFileSync(file)), ...canariesIn(entry.name)].map((value) => `${file}: ${value}`);
  });
};

/** Fails when a secret of this test's programs was written below the folder; for the removal of a test's data home. */
export const expectNoCanaryBelow = (folder: string): void => {
  const found = canariesBelow(folder);
  if (found.length > 0) throw new Error(`secrets were written down:\n${found.join("\n")}`);
};
