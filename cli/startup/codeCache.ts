import { readFileSync, statSync } from "node:fs";
import { constants, Script } from "node:vm";

/** A CommonJS file, compiled: with the code that an earlier process left for it, or from its text. */
export interface CompiledBundle {
  /** Evaluates the bundle with the caller's `require`; gives its exports. */
  readonly evaluate: (require: NodeJS.Require) => unknown;
  /** The compiled code as of now, with every function that has run, as bytes of a cache file. */
  readonly cacheBytes: () => Buffer;
  readonly fromCache: boolean;
}

export const cacheFileOf = (bundleFile: string): string => `${bundleFile}.cache`;

/** First line of a cache: the very Node that made it, and the lengths of what follows. */
const headOf = (codeBytes: number, sourceBytes: number): Buffer => {
  const { size, mtimeMs } = statSync(process.execPath);
  const node = `${process.version} ${process.platform} ${process.arch} ${size} ${mtimeMs}`;
  return Buffer.from(`adk code cache of ${node}: ${codeBytes} ${sourceBytes}\n`);
};

/**
 * V8 looks at version and flags of cached code, not at its bytes: a flipped bit crashes the process. So the code is
 * there twice, and with it the text it was made from; a cache counts only when all of that fits together. Comparing
 * takes a tenth of what loading and running a hash takes.
 */
const cacheOf = (code: Buffer, source: Buffer): Buffer =>
  Buffer.concat([headOf(code.length, source.length), code, code, source]);

/** Undefined when there is no cache that was made by this Node from this text, whatever the reason. */
const cachedCode = (file: string, source: Buffer): Buffer | undefined => {
  try {
    const bytes = readFileSync(cacheFileOf(file));
    const start = bytes.indexOf(10) + 1;
    const codeBytes = (bytes.length - start - source.length) / 2;
    const [code, again, text] = [0, 1, 2].map((part) => bytes.subarray(start + part * codeBytes));
    if (code === undefined || again === undefined || text === undefined) return undefined;
    const fits =
      bytes.subarray(0, start).equals(headOf(codeBytes, source.length)) &&
      code.subarray(0, codeBytes).equals(again.subarray(0, codeBytes)) &&
      text.equals(source);
    return fits ? code.subarray(0, codeBytes) : undefined;
  } catch {
    return undefined;
  }
};

/** Modules of Node that take a millisecond or more to load, and that many calls have no use for. */
const slowModules: ReadonlySet<string> = new Set([
  "node:child_process",
  "node:crypto",
  "node:fs/promises",
  "node:module",
  "node:url",
  "node:readline",
]);

/** A `require` whose slow modules load when something in them is first used. */
const lazily = (require: NodeJS.Require): NodeJS.Require => {
  const lazy = (name: string): unknown =>
    slowModules.has(name) ? new Proxy({}, { get: (_, key) => require(name)[key] }) : require(name);
  return Object.assign(lazy, require);
};

type BundleFunction = (exports: object, require: NodeJS.Require, module: { exports: object }, file: string) => void;

/** Compiles a bundle of scripts/startup. Throws what reading the file throws; a cache that does not fit is as none. */
export const compileBundle = (file: string): CompiledBundle => {
  const source = readFileSync(file);
  const cachedData = cachedCode(file, source);
  // The bundle is a function expression, and ASCII: latin1 takes its bytes as they are.
  const script = new Script(source.toString("latin1"), {
    filename: file,
    importModuleDynamically: constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
    ...(cachedData === undefined ? {} : { cachedData }),
  });
  return {
    evaluate: (require) => {
      const module = { exports: {} };
      (script.runInThisContext() as BundleFunction)(module.exports, lazily(require), module, file);
      return module.exports;
    },
    cacheBytes: () => cacheOf(script.createCachedData(), source),
    fromCache: cachedData !== undefined && script.cachedDataRejected === false,
  };
};
