import { type Config, defaultConfig } from "./config.ts";

/** What a key of core.yaml may hold. `null` is allowed where `nullable` is true. */
export type Kind =
  | { readonly kind: "integer" | "number"; readonly min: number; readonly max: number; readonly nullable?: true }
  | { readonly kind: "boolean" }
  | { readonly kind: "text"; readonly nullable?: true; readonly pattern?: RegExp; readonly example?: string }
  | { readonly kind: "choice"; readonly values: ReadonlyArray<string> }
  | { readonly kind: "list" }
  | { readonly kind: "textMap" }
  | { readonly kind: "agents" };

export interface Field {
  /** Dotted path: `pr_sync.base_jobs`. */
  readonly key: string;
  readonly kind: Kind;
  readonly describe: string;
}

const integer = (min: number, max: number): Kind => ({ kind: "integer", min, max });
const choice = (...values: ReadonlyArray<string>): Kind => ({ kind: "choice", values });
const nullableText = (pattern?: RegExp, example?: string): Kind => ({
  kind: "text",
  nullable: true,
  ...(pattern === undefined ? {} : { pattern }),
  ...(example === undefined ? {} : { example }),
});
const text: Kind = { kind: "text" };
const list: Kind = { kind: "list" };
const textMap: Kind = { kind: "textMap" };

/** Every key of core.yaml (spec 2, "Configuration"). The check, `config set` and docs/config.md all read this table. */
export const configFields: ReadonlyArray<Field> = [
  {
    key: "defaults.platform",
    kind: choice("github", "bitbucket"),
    describe: "Platform of a PR that is named without a URL.",
  },
  {
    key: "defaults.repo",
    kind: nullableText(/^[^\s/]{1,100}\/[^\s/]{1,100}$/, "owner/repo"),
    describe: "Repository of a PR that is named by its number alone: `owner/repo`.",
  },
  {
    key: "taken_lock_max_age_seconds",
    kind: integer(60, 604_800),
    describe: "Seconds after the last heartbeat until a claim of an owner that cannot be checked counts as abandoned.",
  },
  { key: "pr_sync.base_jobs", kind: integer(1, 64), describe: "Bases that are built at the same time." },
  { key: "pr_sync.prepare_jobs", kind: integer(1, 64), describe: "PRs that are prepared at the same time." },
  {
    key: "pr_sync.max_base_staleness_days",
    kind: integer(0, 3_650),
    describe: "Days after which a base is refreshed before a PR is seeded from it.",
  },
  {
    key: "pr_sync.auto_base_threshold",
    kind: integer(1, 1_000),
    describe: "PRs with one target branch from which on a base of that branch is built for them.",
  },
  {
    key: "pr_sync.auto_base_ttl_hours",
    kind: integer(0, 87_600),
    describe: "Hours for which an automatic base that nobody uses is kept.",
  },
  { key: "pr_sync.prepare_drafts", kind: { kind: "boolean" }, describe: "Whether draft PRs are prepared too." },
  {
    key: "embed.provider",
    kind: choice("builtin", "ollama"),
    describe: "What turns code into vectors: the built-in embedder, or an Ollama server.",
  },
  { key: "embed.model", kind: nullableText(), describe: "Model of the Ollama provider." },
  { key: "embed.ollama_host", kind: nullableText(), describe: "Address of the Ollama server; `OLLAMA_HOST` wins." },
  { key: "index.max_file_kb", kind: integer(1, 65_536), describe: "Files over this size in KiB are skipped by name." },
  { key: "index.exclude", kind: list, describe: "Globs of files that are not indexed, besides the built-in list." },
  {
    key: "pr_review.require_human_approval",
    kind: list,
    describe: "Globs of `owner/repo` whose PRs adk never approves.",
  },
  {
    key: "pr_review.auto_approve.enabled",
    kind: { kind: "boolean" },
    describe: "Whether adk may approve a PR in which it found nothing.",
  },
  { key: "pr_review.auto_approve.per_run", kind: integer(0, 10_000), describe: "Approvals in one run at most." },
  {
    key: "pr_review.auto_approve.trusted_associations",
    kind: list,
    describe: "Associations with the repository whose PRs may be approved.",
  },
  {
    key: "pr_review.auto_approve.trusted_authors",
    kind: list,
    describe: "Logins whose PRs may be approved whatever their association.",
  },
  {
    key: "pr_review.auto_approve.sensitive_paths",
    kind: list,
    describe: "Globs of files; a PR that touches one is never approved by adk. A list here replaces the default one.",
  },
  { key: "pr_review.max_inline_comments", kind: integer(0, 1_000), describe: "Inline comments of one review at most." },
  {
    key: "agents",
    kind: { kind: "agents" },
    describe: "Review agents by name: `bin`, `args`, `model`, `cost_usd` (of one review), `timeout_minutes`.",
  },
  { key: "tui.default_agent", kind: text, describe: "Agent that reviews unless another one is named." },
  { key: "tui.theme", kind: text, describe: "Colours of the terminal interface." },
  { key: "user_mappings.github_to_slack", kind: textMap, describe: "GitHub login to Slack member id." },
  { key: "user_mappings.bitbucket_to_slack", kind: textMap, describe: "Bitbucket account to Slack member id." },
  { key: "github.hosts", kind: list, describe: "Host names of GitHub Enterprise servers, besides github.com." },
  { key: "slack.channels", kind: list, describe: "Channels that are searched for PRs." },
  { key: "slack.scan_days_default", kind: integer(1, 365), describe: "Days that a scan looks back." },
  { key: "slack.filter_users", kind: list, describe: "Slack member ids whose messages count; empty: everybody's." },
  { key: "slack.status_emoji", kind: textMap, describe: "Status to the emoji that marks a message." },
  { key: "watch.repositories", kind: list, describe: "Repositories (`owner/repo`) watched for review requests." },
  { key: "auto.max_reviews", kind: integer(0, 10_000), describe: "Reviews of one `adk auto` at most." },
  { key: "auto.parallel", kind: integer(1, 64), describe: "Reviews that run at the same time." },
  {
    key: "auto.quiet_hours",
    kind: nullableText(/^(?:[01]?\d|2[0-3])-(?:[01]?\d|2[0-3])$/, "22-06"),
    describe: "Hours of the day, local time, in which `adk auto` does not start: `22-06`.",
  },
  {
    key: "auto.max_cost_usd",
    kind: { kind: "number", min: 0, max: 1_000_000, nullable: true },
    describe: "US dollars that one `adk auto` may cost.",
  },
  { key: "logs.max_mb", kind: integer(1, 1_000_000), describe: "Megabytes of logs that `adk doctor --fix` leaves." },
  { key: "logs.keep_days", kind: integer(0, 3_650), describe: "Days for which `adk doctor --fix` leaves a log." },
];

/** Value of a dotted key in a configuration. */
export const configValue = (config: Config, key: string): unknown =>
  key.split(".").reduce<unknown>((value, part) => (value as Readonly<Record<string, unknown>>)[part], config);

/** Default of a key. */
export const defaultOf = (field: Field): unknown => configValue(defaultConfig, field.key);

/** Words for what a key may hold, for error messages and docs/config.md. */
export const describeKind = (kind: Kind): string => {
  const orNull = "nullable" in kind && kind.nullable ? ", or null" : "";
  switch (kind.kind) {
    case "integer":
      return `a whole number from ${kind.min} to ${kind.max}${orNull}`;
    case "number":
      return `a number from ${kind.min} to ${kind.max}${orNull}`;
    case "boolean":
      return "true or false";
    case "choice":
      return `one of ${kind.values.join(", ")}`;
    case "text":
      return `text${kind.example === undefined ? "" : ` like ${kind.example}`}${orNull}`;
    case "list":
      return "a list of texts";
    case "textMap":
      return "a map of texts";
    case "agents":
      return "a map of agents";
  }
};
