import { extensionOf } from "./skip.ts";

/** How a language is read: by which grammar, or as plain text or Markdown when `grammar` is null. */
export interface Language {
  readonly name: string;
  readonly grammar: Grammar | null;
}

export interface Grammar {
  readonly package: "@vscode/tree-sitter-wasm" | "@repomix/tree-sitter-wasms";
  /** Path of the WASM file inside the package. */
  readonly file: string;
}

const vscode = (name: string): Grammar => ({
  package: "@vscode/tree-sitter-wasm",
  file: `wasm/tree-sitter-${name}.wasm`,
});
const repomix = (name: string): Grammar => ({
  package: "@repomix/tree-sitter-wasms",
  file: `out/tree-sitter-${name}.wasm`,
});

const grammars: ReadonlyArray<readonly [name: string, grammar: Grammar, extensions: string]> = [
  ["javascript", vscode("javascript"), "js jsx mjs cjs"],
  ["typescript", vscode("typescript"), "ts mts cts"],
  ["tsx", vscode("tsx"), "tsx"],
  ["python", vscode("python"), "py pyi pyw"],
  ["go", vscode("go"), "go"],
  ["java", vscode("java"), "java"],
  ["rust", vscode("rust"), "rs"],
  ["ruby", vscode("ruby"), "rb rake gemspec"],
  ["php", vscode("php"), "php phtml"],
  ["cpp", vscode("cpp"), "cpp cc cxx hpp hh hxx ipp"],
  ["csharp", vscode("c-sharp"), "cs"],
  ["css", vscode("css"), "css"],
  ["bash", vscode("bash"), "sh bash zsh"],
  ["powershell", vscode("powershell"), "ps1 psm1"],
  ["c", repomix("c"), "c h"],
  ["swift", repomix("swift"), "swift"],
  ["dart", repomix("dart"), "dart"],
  ["solidity", repomix("solidity"), "sol"],
  ["vue", repomix("vue"), "vue"],
];

/** Every grammar that a language here is read by. */
export const allGrammars: ReadonlyArray<Grammar> = grammars.map(([, grammar]) => grammar);

const plainNames: Readonly<Record<string, string>> = {
  md: "markdown",
  mdx: "markdown",
  markdown: "markdown",
  json: "json",
  json5: "json",
  jsonc: "json",
  yaml: "yaml",
  yml: "yaml",
  toml: "toml",
  ini: "ini",
  cfg: "ini",
  html: "html",
  htm: "html",
  xml: "xml",
  svg: "xml",
  sql: "sql",
  graphql: "graphql",
  proto: "proto",
  kt: "kotlin",
  scala: "scala",
  lua: "lua",
  svelte: "svelte",
  scss: "scss",
  less: "less",
  rst: "text",
  txt: "text",
};

const byExtension = new Map<string, Language>();
for (const [name, grammar, extensions] of grammars) {
  for (const extension of extensions.split(" ")) byExtension.set(extension, { name, grammar });
}
for (const [extension, name] of Object.entries(plainNames)) byExtension.set(extension, { name, grammar: null });

const byName: Readonly<Record<string, string>> = { rakefile: "rb", gemfile: "rb", ".bashrc": "sh", ".profile": "sh" };

/** Language of a path by its name alone; anything unknown is text. */
export const languageOf = (path: string): Language => {
  const name = path.slice(path.lastIndexOf("/") + 1).toLowerCase();
  return byExtension.get(byName[name] ?? extensionOf(path)) ?? { name: "text", grammar: null };
};
