import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { globalFlags } from "../../cli/globalFlags.ts";
import { parse } from "../../cli/parse.ts";
import { verbs } from "../../cli/verbs.ts";

const call = (line: string) => parse(line === "" ? [] : line.split(" "), {});

const run = (line: string) => {
  const found = call(line);
  if (found.kind !== "run") throw new Error(`${line}: ${JSON.stringify(found)}`);
  return { verb: found.spec.path.join(" "), input: found.input };
};

const usage = (line: string) => {
  const found = call(line);
  if (found.kind !== "usage") throw new Error(`${line}: ${found.kind}`);
  return `${found.message} — ${found.hint}`;
};

describe("a command line", () => {
  it("means the same wherever its flags stand", () => {
    for (const line of [
      "-v pr-task prepare X",
      "pr-task -v prepare X",
      "pr-task prepare -v X",
      "pr-task prepare X -v",
    ]) {
      const { verb, input } = run(line);
      expect([verb, input.args, input.verbose], line).toEqual(["pr-task prepare", ["X"], true]);
    }
  });

  it("takes the value of a flag that stands before the verb", () => {
    const lines = ["--queue /q pr-queue list --status error", "pr-queue --status error list --queue=/q"];
    for (const line of lines) {
      const { verb, input } = run(line);
      expect([verb, input.flags.flag("queue"), input.flags.flag("status")], line).toEqual([
        "pr-queue list",
        "/q",
        "error",
      ]);
    }
  });

  it("ends its flags at --", () => {
    const { input } = run("index query -- --json -k");
    expect([input.args, input.json]).toEqual([["--json", "-k"], false]);
  });

  it("gives the flags of a call by type", () => {
    expect(run("repo add . --branch a --branch=b").input.flags.list("branch")).toEqual(["a", "b"]);
    const { input } = run("pr-task prepare X --jobs 3 -y");
    expect(input.flags.int("jobs")).toBe(3);
    expect([input.yes, input.flags.bool("all"), input.flags.flag("repo")]).toEqual([true, false, undefined]);
    expect(run("index query cart -k5").input.flags.int("limit")).toBe(5);
  });

  it("lets one flag name be a switch in one verb and take a value in another", () => {
    expect(run("pr-queue --force claim X").input.args).toEqual(["X"]);
    expect(run("repo auto-bases --force shop clean --branch dev").input.flags.flag("force")).toBe("shop");
  });

  it("passes every spelling of a PR through", () => {
    expect(run("pr-queue show acme/shop 12").input.args).toEqual(["acme/shop", "12"]);
    expect(run("pr-queue set-status acme/shop 12 pending").input.args).toEqual(["acme/shop", "12", "pending"]);
    expect(run("pr-queue show --repo acme/shop --pr 12").input.flags.int("pr")).toBe(12);
  });
});

describe("a command line that is wrong", () => {
  it.each([
    ["", "no verb given — see adk --help"],
    ["pr-queue", "adk pr-queue needs a verb — see adk pr-queue --help"],
    ["repo branch", "adk repo branch needs a verb — see adk repo branch --help"],
    ["pr-queu list", 'unknown verb "pr-queu" — did you mean adk pr-queue?'],
    ["pr-queue lsit", 'unknown verb "lsit" — did you mean adk pr-queue list?'],
    ["frobnicate --help", 'unknown verb "frobnicate" — see adk --help'],
    ["pr-queue list --staus error", "unknown flag --staus — did you mean --status?"],
    ["pr-queue list --josn", "unknown flag --josn — did you mean --json?"],
    ["pr-queue list -z", "unknown flag -z — see adk pr-queue list --help"],
    ["pr-sync --nope", "unknown flag --nope — see adk pr-sync --help"],
    ["pr-queue list more", 'unexpected argument "more" — see adk pr-queue list --help'],
    ["pr-queue list --status", "--status needs a value — write --status=S"],
    ["pr-queue list --queue --json", "--queue needs a value — write --queue=PATH"],
    ["pr-queue list --queue=", "--queue needs a value — write --queue=PATH"],
    ["pr-queue list --ready=yes", "--ready takes no value — write --ready alone"],
    ["pr-task prepare X --jobs -3", "--jobs needs a value — write --jobs=N"],
    ["pr-task prepare X --jobs=-3", "--jobs must be at least 1 — write --jobs=N"],
    ["pr-task prepare X --jobs 3.5", '--jobs must be a whole number, not "3.5" — write --jobs=N'],
    ["pr-task prepare X --jobs 1e3", '--jobs must be a whole number, not "1e3" — write --jobs=N'],
    ["pr-task prepare X --jobs 1 --jobs 2", "--jobs is given with different values — give it once"],
    ["index query cart --mode fast", '--mode cannot be "fast" — one of: hybrid, vector, text'],
    ["completion", "SHELL is missing — like: adk completion bash > ~/.local/share/bash-completion/completions/adk"],
    ["completion tcsh", 'SHELL cannot be "tcsh" — one of: bash, zsh, fish'],
    ["config set a", "VALUE is missing — like: adk config set defaults.repo acme/storefront-bff"],
    ["pr-queue show -5", "unknown flag -5 — see adk pr-queue show --help"],
  ])("adk %s", (line, message) => {
    expect(usage(line)).toBe(message);
  });

  it("refuses a status that is not canonical", () => {
    expect(usage("pr-queue set-status X declined")).toMatch(/^STATUS cannot be "declined" — one of: pending, /);
    expect(usage("pr-queue release X --status declined")).toMatch(/^--status cannot be "declined"/);
  });

  it("is answered in JSON when JSON was asked for", () => {
    expect(call("pr-queue list --nope --json")).toMatchObject({ kind: "usage", json: true });
    expect(call("index query -- --json")).toMatchObject({ kind: "run" });
  });

  it("never throws, and runs nothing that its words do not name", () => {
    const words = [
      "pr-queue",
      "list",
      "show",
      "--",
      "-",
      "-v",
      "--json",
      "--status",
      "--status=",
      "error",
      "--__proto__",
      "--constructor=1",
      "-vy",
      "é",
    ];
    fc.assert(
      fc.property(fc.array(fc.oneof(fc.constantFrom(...words), fc.string()), { maxLength: 7 }), (argv) => {
        const found = parse(argv, {});
        if (found.kind === "run") expect(argv).toEqual(expect.arrayContaining([...found.spec.path]));
        else expect(["usage", "help", "version"]).toContain(found.kind);
      }),
    );
  });
});

describe("help and version", () => {
  it("answer at every level, whatever else is given", () => {
    expect(call("--help")).toMatchObject({ kind: "help", path: [] });
    expect(call("pr-queue -h")).toMatchObject({ kind: "help", path: ["pr-queue"] });
    expect(call("repo branch add --nope -h")).toMatchObject({ kind: "help", path: ["repo", "branch", "add"] });
    expect(call("--version")).toMatchObject({ kind: "version" });
  });
});

describe("the table of verbs", () => {
  it("names every verb once, and no verb is the beginning of another", () => {
    const paths = verbs.map((verb) => verb.path.join(" "));
    expect(new Set(paths).size).toBe(paths.length);
    for (const path of paths) expect(paths.filter((other) => other.startsWith(`${path} `))).toEqual([]);
  });

  it("gives no verb a flag that means something else on every level", () => {
    for (const verb of verbs) {
      const flags = [...globalFlags, ...verb.flags];
      const names = flags.flatMap((flag) => [
        `--${flag.name}`,
        ...(flag.short === undefined ? [] : [`-${flag.short}`]),
      ]);
      expect(names, verb.path.join(" ")).toEqual([...new Set(names)]);
    }
  });

  it("has examples that its own parser takes for that verb", () => {
    for (const verb of verbs) {
      expect(verb.examples.length, verb.path.join(" ")).toBeGreaterThan(0);
      for (const example of verb.examples) {
        const words =
          (example.split(" > ")[0] ?? "").match(/"[^"]*"|\S+/g)?.map((word) => word.replaceAll('"', "")) ?? [];
        expect(words[0]).toBe("adk");
        expect(parse(words.slice(1), {}), example).toMatchObject({ kind: "run", spec: { path: verb.path } });
      }
    }
  });
});
