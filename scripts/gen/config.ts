import { configFields, defaultOf, describeKind, type Field } from "../../src/config/schema.ts";

const cell = (text: string): string => text.replaceAll("|", "\\|");

const shownDefault = (field: Field): string => {
  const value = defaultOf(field);
  if (value === null) return "";
  const text = JSON.stringify(value);
  if (text.length > 60) return "see below";
  return `\`${typeof value === "string" ? value : text}\``;
};

const longDefaults = configFields
  .filter((field) => JSON.stringify(defaultOf(field)).length > 60)
  .map((field) => {
    const items = (defaultOf(field) as ReadonlyArray<string>).map((item) => `- \`${item}\``);
    return `Default of \`${field.key}\`:\n\n${items.join("\n")}\n`;
  });

const text = `<!-- Written by \`npm run gen\` from src/config/schema.ts; change it there. -->

# Configuration

\`core.yaml\` in the configuration folder (\`ADK_CONFIG_HOME\`, else \`config\` in the data home); \`adk config path\` prints where.
Every key is optional. A wrong type stops every verb with the line and the allowed values (exit 3); an unknown key is a warning.
A list or a map replaces its default as a whole. The file may have 256 KB and is never read from a repository.

\`adk config show\` prints what is in effect, \`adk config set KEY VALUE\` changes one key and keeps comments and layout.

| key | default | may be | for |
| --- | --- | --- | --- |
${configFields
  .map(
    (field) =>
      `| \`${field.key}\` | ${cell(shownDefault(field))} | ${cell(describeKind(field.kind))} | ${cell(field.describe)} |`,
  )
  .join("\n")}

${longDefaults.join("\n")}
## Example

\`\`\`yaml
defaults:
  repo: acme/storefront-bff
pr_sync:
  prepare_jobs: 2
agents:
  claude:
    model: opus
    timeout_minutes: 30
user_mappings:
  github_to_slack:
    ada: U0123ABC
\`\`\`
`;

/** docs/config.md, from the same table that checks the file. */
export const configDocs = (): ReadonlyArray<{ readonly path: "docs/config.md"; readonly text: string }> => [
  { path: "docs/config.md", text },
];
