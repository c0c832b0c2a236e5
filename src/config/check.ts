import { nearest } from "../cli/nearest.ts";
import { type Config, defaultConfig } from "./config.ts";
import { configFields, describeKind, type Field, type Kind } from "./schema.ts";

export type KeyPath = ReadonlyArray<string | number>;

export interface ConfigIssue {
  readonly path: KeyPath;
  readonly message: string;
}

export interface CheckedConfig {
  readonly config: Config;
  /** Wrong types and values; the configuration must not be used when there is one. */
  readonly errors: ReadonlyArray<ConfigIssue>;
  /** Keys that adk does not know. */
  readonly unknown: ReadonlyArray<ConfigIssue>;
}

type Tree = { [key: string]: unknown };

const refusedKeys: ReadonlySet<string> = new Set(["__proto__", "constructor", "prototype"]);
const maxTextLength = 4_096;
const maxEntries = 2_000;

const isTree = (value: unknown): value is Readonly<Tree> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const isText = (value: unknown): value is string => typeof value === "string" && value.length <= maxTextLength;

const isNumber = (value: unknown, kind: { readonly min: number; readonly max: number }): boolean =>
  typeof value === "number" && Number.isFinite(value) && value >= kind.min && value <= kind.max;

const typeName = (value: unknown): string => {
  if (value === null) return "null";
  if (Array.isArray(value)) return "a list";
  if (typeof value === "object") return "a map";
  const shown = String(value).slice(0, 60);
  return typeof value === "string" ? `the text "${shown}"` : `${shown}`;
};

const mustBe = (path: KeyPath, kind: string, value: unknown): ConfigIssue => ({
  path,
  message: `${path.join(".")} must be ${kind}, not ${typeName(value)}`,
});

const agentKinds: Readonly<Record<string, Kind>> = {
  bin: { kind: "text" },
  args: { kind: "list" },
  model: { kind: "text" },
  cost_usd: { kind: "number", min: 0, max: 100_000 },
  timeout_minutes: { kind: "number", min: 1, max: 1_440 },
};

const checkEntries = (
  path: KeyPath,
  value: unknown,
  kind: Kind,
  each: (path: KeyPath, item: unknown) => ReadonlyArray<ConfigIssue>,
): ReadonlyArray<ConfigIssue> => {
  if (kind.kind === "list" ? !Array.isArray(value) : !isTree(value)) return [mustBe(path, describeKind(kind), value)];
  const entries = Object.entries(value as object);
  if (entries.length > maxEntries) return [{ path, message: `${path.join(".")} has more than ${maxEntries} entries` }];
  return entries.flatMap(([name, item]) => each([...path, kind.kind === "list" ? Number(name) : name], item));
};

const textIssue = (path: KeyPath, item: unknown): ReadonlyArray<ConfigIssue> =>
  isText(item) ? [] : [mustBe(path, "text", item)];

const agentIssues = (path: KeyPath, agent: unknown): ReadonlyArray<ConfigIssue> => {
  if (!isTree(agent)) return [mustBe(path, "a map", agent)];
  return Object.entries(agentKinds).flatMap(([name, kind]) =>
    agent[name] === undefined ? [] : valueIssues([...path, name], agent[name], kind),
  );
};

/** What is wrong with a value of a key. */
const valueIssues = (path: KeyPath, value: unknown, kind: Kind): ReadonlyArray<ConfigIssue> => {
  const check = (good: boolean) => (good ? [] : [mustBe(path, describeKind(kind), value)]);
  if (value === null && "nullable" in kind && kind.nullable) return [];
  switch (kind.kind) {
    case "integer":
      return check(isNumber(value, kind) && Number.isInteger(value));
    case "number":
      return check(isNumber(value, kind));
    case "boolean":
      return check(typeof value === "boolean");
    case "choice":
      return check(isText(value) && kind.values.includes(value));
    case "text":
      return check(isText(value) && (kind.pattern === undefined || kind.pattern.test(value)));
    case "list":
    case "textMap":
      return checkEntries(path, value, kind, textIssue);
    case "agents":
      return checkEntries(path, value, kind, agentIssues);
  }
};

const fieldOf = new Map(configFields.map((field) => [field.key, field]));
const sections: ReadonlySet<string> = new Set(
  configFields.flatMap(({ key }) => {
    const parts = key.split(".");
    return parts.slice(0, -1).map((_, index) => parts.slice(0, index + 1).join("."));
  }),
);

/** The known key that a wrong one probably meant, the last word of another section included. */
export const nearestKey = (key: string): string | undefined => nearest(key, [...fieldOf.keys(), ...sections]);

/** The field of a dotted key of core.yaml, `agents.<name>.<setting>` included. */
export const fieldOfKey = (key: string): Pick<Field, "key" | "kind"> | null => {
  const known = fieldOf.get(key);
  if (known !== undefined) return known;
  const parts = key.split(".");
  const parent = fieldOf.get(parts.slice(0, -1).join("."));
  if (parent?.kind.kind === "textMap" && !refusedKeys.has(parts.at(-1) ?? "")) return { key, kind: { kind: "text" } };
  const [agents, name, setting, ...rest] = parts;
  if (agents !== "agents" || !name || refusedKeys.has(name) || setting === undefined || rest.length > 0) return null;
  const kind = Object.hasOwn(agentKinds, setting) ? agentKinds[setting] : undefined;
  return kind === undefined ? null : { key, kind };
};

/** Guesses cost time and nobody reads a hundred of them. */
const maxGuesses = 20;

const unknownIssue = (path: KeyPath, before: number): ConfigIssue => {
  const key = path.join(".");
  const meant = before < maxGuesses ? nearestKey(key) : undefined;
  return { path, message: `unknown key ${key}${meant === undefined ? "" : ` (did you mean ${meant}?)`}` };
};

interface Found {
  readonly values: Map<string, unknown>;
  readonly errors: ConfigIssue[];
  readonly unknown: ConfigIssue[];
}

const maxDepth = 16;

const refusedIn = (value: unknown, path: KeyPath): ReadonlyArray<ConfigIssue> => {
  if (typeof value !== "object" || value === null) return [];
  if (path.length > maxDepth) return [{ path, message: `nested deeper than ${maxDepth} levels` }];
  return Object.entries(value).flatMap(([name, item]) =>
    refusedKeys.has(name)
      ? [{ path: [...path, name], message: `the key ${name} is not allowed` }]
      : refusedIn(item, [...path, name]),
  );
};

const walk = (tree: Readonly<Tree>, path: KeyPath, found: Found): void => {
  for (const [name, value] of Object.entries(tree)) {
    const here = [...path, name];
    const key = here.join(".");
    const field = fieldOf.get(key);
    if (field !== undefined) {
      const issues = valueIssues(here, value, field.kind);
      found.errors.push(...issues);
      if (field.kind.kind === "agents" && isTree(value)) found.unknown.push(...unknownAgentKeys(here, value));
      if (issues.length === 0) found.values.set(key, value);
    } else if (!sections.has(key)) found.unknown.push(unknownIssue(here, found.unknown.length));
    else if (isTree(value)) walk(value, here, found);
    else if (value !== null) found.errors.push(mustBe(here, "a map", value));
  }
};

const unknownAgentKeys = (path: KeyPath, agents: Readonly<Tree>): ReadonlyArray<ConfigIssue> =>
  Object.entries(agents).flatMap(([name, agent]) =>
    Object.keys(isTree(agent) ? agent : {})
      .filter((setting) => !Object.hasOwn(agentKinds, setting))
      .map((setting) => {
        const meant = nearest(setting, Object.keys(agentKinds));
        const key = [...path, name, setting];
        return {
          path: key,
          message: `unknown key ${key.join(".")}${meant === undefined ? "" : ` (did you mean ${meant}?)`}`,
        };
      }),
  );

const withValue = (tree: Readonly<Tree>, parts: ReadonlyArray<string>, value: unknown): Tree => {
  const [first = "", ...rest] = parts;
  const child = tree[first];
  return { ...tree, [first]: rest.length === 0 ? value : withValue(isTree(child) ? child : {}, rest, value) };
};

/**
 * Checks the parsed content of core.yaml and fills in defaults. Pure; `value` may be anything. Lists and maps in the
 * file replace the defaults. `__proto__`, `constructor` and `prototype` are refused at any depth.
 */
export const checkConfig = (value: unknown): CheckedConfig => {
  if (value === null || value === undefined) return { config: defaultConfig, errors: [], unknown: [] };
  if (!isTree(value)) {
    const message = `core.yaml must be a map of keys, not ${typeName(value)}`;
    return { config: defaultConfig, errors: [{ path: [], message }], unknown: [] };
  }
  const refused = refusedIn(value, []);
  if (refused.length > 0) return { config: defaultConfig, errors: refused, unknown: [] };
  const found: Found = { values: new Map(), errors: [], unknown: [] };
  walk(value, [], found);
  let tree: Tree = { ...defaultConfig };
  for (const [key, item] of found.values) tree = withValue(tree, key.split("."), item);
  return { config: tree as unknown as Config, errors: found.errors, unknown: found.unknown };
};
