import type { Source } from "./sources.ts";

interface TextFile {
  readonly path: string;
  readonly text: string;
}

const lineOf = (text: string, index: number): number => text.slice(0, index).split("\n").length;

// People that tests and examples may name; any other home folder is somebody's machine.
const exampleHomes = "ada|grace|user|you|me|alice|bob|someone|runner|x";

/** Paths of the machine this checkout is on, of somebody's home, and hosts of package registries. */
export const machineTraces = (files: ReadonlyArray<TextFile>, root: string): ReadonlyArray<string> => {
  const rules = [
    {
      found: new RegExp(`${root.replaceAll(/[^\w/-]/g, "\\$&")}(?![\\w-])`, "g"),
      says: "names the folder of this checkout",
    },
    { found: new RegExp(`/(?:home|Users)/(?!(?:${exampleHomes})\\b)[a-z][\\w.-]*/`, "g"), says: "names a home folder" },
    {
      found: /https?:\/\/[\w.:-]*(?:registry|artifactory|nexus|verdaccio)[\w.:-]*/gi,
      says: "names a package registry",
    },
  ];
  return files.flatMap(({ path, text }) =>
    rules.flatMap(({ found, says }) =>
      [...text.matchAll(found)].map((match) => `${path}:${lineOf(text, match.index)} ${says}: ${match[0]}`),
    ),
  );
};

export interface SizeReport {
  readonly modules: number;
  readonly median: number;
  readonly large: ReadonlyArray<{ readonly path: string; readonly lines: number }>;
}

/** Lines a module has, and the modules over 400 lines, largest first: a smell, no failure. */
export const moduleSizes = (sources: ReadonlyArray<Source>): SizeReport => {
  const sizes = sources
    .filter((source) => /^(src|machines|effects|cli|tui)\//.test(source.path))
    .map((source) => ({ path: source.path, lines: source.text.split("\n").length - 1 }))
    .sort((a, b) => b.lines - a.lines);
  return {
    modules: sizes.length,
    median: sizes[Math.floor(sizes.length / 2)]?.lines ?? 0,
    large: sizes.filter((size) => size.lines > 400),
  };
};
