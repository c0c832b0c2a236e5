/** Suffix of the inert name under which agent configuration of a change request stands in a checkout. */
export const inertSuffix = ".adk-inert";

const configuration = new Set([
  "claude.md",
  "claude.local.md",
  "agents.md",
  "agents.override.md",
  "gemini.md",
  ".claude",
  ".claude.json",
  ".mcp.json",
  ".codex",
  ".gemini",
  ".husky",
]);

// Characters that HFS+ leaves out when it compares names.
const ignorable = /[\u200b-\u200f\u202a-\u202e\u2060-\u2064\u206a-\u206f\ufeff]/g;

const folded = (component: string): string =>
  component
    .normalize("NFKC")
    .replaceAll(ignorable, "")
    .toLowerCase()
    .replaceAll(/(?<![ .])[ .]+$/g, "");

/** True for a file or folder name that some agent or hook manager loads as its configuration, in any case. */
export const isAgentConfiguration = (component: string): boolean => {
  const name = folded(component);
  return configuration.has(name) || (name.startsWith(".cursor") && !name.endsWith(inertSuffix));
};

/**
 * Path under which a path of a change request stands in its checkout: each component that an agent would load as
 * configuration carries `.adk-inert` (spec 5). Names that end so already get one more, so that no two paths meet.
 */
export const checkoutPath = (path: string): string =>
  path
    .split("/")
    .map((part) =>
      isAgentConfiguration(part) || part.toLowerCase().endsWith(inertSuffix) ? `${part}${inertSuffix}` : part,
    )
    .join("/");

/** The path in the commit behind a path in the checkout: the inverse of `checkoutPath`. */
export const committedPath = (path: string): string =>
  path
    .split("/")
    .map((part) => (part.endsWith(inertSuffix) ? part.slice(0, -inertSuffix.length) : part))
    .join("/");

const unsafeComponent = (part: string): boolean => {
  const name = folded(part);
  return part === "" || part === "." || part === ".." || name === "" || name === ".git" || /^git~\d+$/.test(name);
};

/**
 * True when a path of a commit may be written below a folder: no empty, dot or `.git` component in any spelling that
 * some file system folds to one (the classes of CVE-2014-9390 and CVE-2019-1349).
 */
export const isSafeCheckoutPath = (path: string): boolean =>
  path !== "" && !path.includes("\\") && !path.includes("\0") && !path.split("/").some(unsafeComponent);
