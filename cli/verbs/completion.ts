import type { VerbSpec } from "../verb.ts";

export const completionVerbs: ReadonlyArray<VerbSpec> = [
  {
    path: ["completion"],
    summary: "Print a completion script for a shell",
    args: [{ name: "SHELL", describe: "the shell", required: true, multiple: false, choices: ["bash", "zsh", "fish"] }],
    flags: [],
    examples: [
      "adk completion bash > ~/.local/share/bash-completion/completions/adk",
      "adk completion fish > ~/.config/fish/completions/adk.fish",
    ],
    load: () => import("../commands/completion.ts"),
    survivesBrokenConfig: true,
  },
];
