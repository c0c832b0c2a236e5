import { createHash } from "node:crypto";
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

const digestBytes = 32;

/**
 * V8 looks at version and flags of cached code, not at its bytes: a flipped bit would crash the process. So a cache
 * counts only when this digest fits, which covers the code, the text it was made from, and the very Node that made it.
 */
const digestOf = (source: Buffer, code: Buffer): Buffer => {
  const { size, mtimeMs } = statSync(process.execPath);
  const node = `${process.version} ${process.platform} ${process.arch} ${size} ${mtimeMs} ${source.length}\n`;
  return createHash("sha256").update(node).update(source).update(code).digest();
};

/** Undefined when there is no cache that was made by this Node from this text, whatever the reason. */
const cachedCode = (file: string, source: Buffer): Buffer | undefined => {
  try {
    const bytes = readFileSync(cacheFileOf(file));
    const code = bytes.subarray(digestBytes);
    return digestOf(source, code).equals(bytes.subarray(0, digestBytes)) ? code : undefined;
  } catch {
    return undefined;
  }
};

type BundleFunction = (exports: object, require: NodeJS.Require, module: { exports: object }, file: string) => void;

/** Compiles a bundle of scripts/startup. Throws what reading the file throws; a cache that does not fit is as none. */
export const compileBundle = (file: string): CompiledBundle => {
  const source = readFileSync(file);
  const cachedData = cachedCode(file, source);
  // The bundle is ASCII, which latin1 reads without looking at each byte's successors.
  const script = new Script(`(function(exports,require,module,__filename){${source.toString("latin1")}\n})`, {
    filename: file,
    importModuleDynamically: constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
    ...(cachedData === undefined ? {} : { cachedData }),
  });
  return {
    evaluate: (require) => {
      const module = { exports: {} };
      (script.runInThisContext() as BundleFunction)(module.exports, require, module, file);
      return module.exports;
    },
    cacheBytes: () => {
      const code = script.createCachedData();
      return Buffer.concat([digestOf(source, code), code]);
    },
    fromCache: cachedData !== undefined && script.cachedDataRejected === false,
  };
};
