/** core.yaml with every default filled in (spec 2, "Configuration"). */
export interface Config {
  readonly defaults: { readonly platform: "github" | "bitbucket"; readonly repo: string | null };
  readonly taken_lock_max_age_seconds: number;
  readonly pr_sync: {
    readonly base_jobs: number;
    readonly prepare_jobs: number;
    readonly max_base_staleness_days: number;
    readonly auto_base_threshold: number;
    readonly auto_base_ttl_hours: number;
    readonly prepare_drafts: boolean;
  };
  readonly embed: {
    readonly provider: "builtin" | "ollama";
    readonly model: string | null;
    readonly ollama_host: string | null;
  };
  readonly index: { readonly max_file_kb: number; readonly exclude: ReadonlyArray<string> };
  readonly pr_review: {
    readonly require_human_approval: ReadonlyArray<string>;
    readonly auto_approve: {
      readonly enabled: boolean;
      readonly per_run: number;
      readonly trusted_associations: ReadonlyArray<string>;
      readonly trusted_authors: ReadonlyArray<string>;
      readonly sensitive_paths: ReadonlyArray<string>;
    };
    readonly max_inline_comments: number;
  };
  readonly agents: Readonly<
    Record<
      string,
      {
        readonly bin?: string;
        readonly args?: ReadonlyArray<string>;
        readonly model?: string;
        readonly cost_usd?: number;
        readonly timeout_minutes?: number;
      }
    >
  >;
  readonly tui: { readonly default_agent: string; readonly theme: string };
  readonly user_mappings: {
    readonly github_to_slack: Readonly<Record<string, string>>;
    readonly bitbucket_to_slack: Readonly<Record<string, string>>;
  };
  readonly github: { readonly hosts: ReadonlyArray<string> };
  readonly slack: {
    readonly channels: ReadonlyArray<string>;
    readonly scan_days_default: number;
    readonly filter_users: ReadonlyArray<string>;
    readonly status_emoji: Readonly<Record<string, string>>;
  };
  readonly watch: { readonly repositories: ReadonlyArray<string> };
  readonly auto: {
    readonly max_reviews: number;
    readonly parallel: number;
    readonly quiet_hours: string | null;
    readonly max_cost_usd: number | null;
  };
  readonly logs: { readonly max_mb: number; readonly keep_days: number };
}

export const defaultConfig: Config = {
  defaults: { platform: "github", repo: null },
  taken_lock_max_age_seconds: 7200,
  pr_sync: {
    base_jobs: 2,
    prepare_jobs: 4,
    max_base_staleness_days: 7,
    auto_base_threshold: 2,
    auto_base_ttl_hours: 24,
    prepare_drafts: false,
  },
  embed: { provider: "builtin", model: null, ollama_host: null },
  index: { max_file_kb: 1024, exclude: [] },
  pr_review: {
    require_human_approval: [],
    auto_approve: {
      enabled: true,
      per_run: 20,
      trusted_associations: ["OWNER", "MEMBER", "COLLABORATOR"],
      trusted_authors: [],
      sensitive_paths: [
        ".github/**",
        ".gitlab-ci.yml",
        ".circleci/**",
        "bitbucket-pipelines.yml",
        "**/Jenkinsfile",
        "**/CODEOWNERS",
        ".gitmodules",
        "**/package-lock.json",
        "**/yarn.lock",
        "**/pnpm-lock.yaml",
        "**/Cargo.lock",
        "**/poetry.lock",
        "**/CLAUDE.md",
        "**/AGENTS.md",
        "**/GEMINI.md",
        "**/.claude/**",
        "**/.mcp.json",
        "**/.cursor*/**",
        "**/.codex/**",
        "**/.husky/**",
      ],
    },
    max_inline_comments: 50,
  },
  agents: {},
  tui: { default_agent: "claude", theme: "default" },
  user_mappings: { github_to_slack: {}, bitbucket_to_slack: {} },
  github: { hosts: [] },
  slack: { channels: [], scan_days_default: 14, filter_users: [], status_emoji: {} },
  watch: { repositories: [] },
  auto: { max_reviews: 20, parallel: 1, quiet_hours: null, max_cost_usd: null },
  logs: { max_mb: 100, keep_days: 7 },
};
