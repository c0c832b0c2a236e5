/**
 * Configuration that every call of git carries on its command line, above every file (threats T5 and T6): nothing
 * that a repository or a change request holds is executed, and output does not depend on anybody's settings.
 */
const fixedConfig: ReadonlyArray<string> = [
  "core.hooksPath=/dev/null",
  "core.fsmonitor=false",
  "core.untrackedCache=false",
  "core.attributesFile=/dev/null",
  "core.excludesFile=/dev/null",
  "core.symlinks=false",
  "core.autocrlf=false",
  "core.eol=lf",
  "core.safecrlf=false",
  "core.quotePath=false",
  "core.precomposeUnicode=false",
  "core.protectHFS=true",
  "core.protectNTFS=true",
  "core.abbrev=40",
  "core.pager=cat",
  "core.editor=false",
  "core.logAllRefUpdates=false",
  "safe.bareRepository=explicit",
  "submodule.recurse=false",
  "fetch.recurseSubmodules=false",
  "fetch.prune=false",
  "fetch.pruneTags=false",
  "fetch.writeCommitGraph=false",
  "gc.auto=0",
  "maintenance.auto=false",
  "checkout.workers=1",
  "advice.detachedHead=false",
  "color.ui=false",
  "log.showSignature=false",
  "log.mailmap=false",
  "log.follow=false",
  "diff.renameLimit=1000",
  "diff.suppressBlankEmpty=false",
  "i18n.logOutputEncoding=UTF-8",
  "http.lowSpeedLimit=500",
  "http.lowSpeedTime=60",
];

/** The words before the subcommand. */
export const fixedArguments: ReadonlyArray<string> = [
  "--no-pager",
  "--no-replace-objects",
  "--literal-pathspecs",
  ...fixedConfig.flatMap((entry) => ["-c", entry]),
];

const always: Readonly<Record<string, string>> = {
  LC_ALL: "C",
  GIT_TERMINAL_PROMPT: "0",
  // Set but empty: no graphical prompt either, whatever core.askPass or SSH_ASKPASS say.
  GIT_ASKPASS: "",
  SSH_ASKPASS_REQUIRE: "never",
  GIT_LFS_SKIP_SMUDGE: "1",
  GIT_OPTIONAL_LOCKS: "0",
  GIT_NO_LAZY_FETCH: "1",
  GIT_PAGER: "cat",
  GIT_EDITOR: "false",
  GIT_ATTR_NOSYSTEM: "1",
};

const hostNames = ["PATH", "TMPDIR", "TEMP", "TMP", "SystemRoot", "PATHEXT", "LD_LIBRARY_PATH", "GIT_EXEC_PATH"];

// What a person's own fetching may rest on; every other GIT_* variable points git somewhere or makes it print.
const transportNames =
  /^GIT_(?:CONFIG_(?:GLOBAL|SYSTEM|NOSYSTEM|COUNT|PARAMETERS|KEY_\d+|VALUE_\d+)|SSL_\w+|SSH|SSH_COMMAND|SSH_VARIANT|HTTP_\w+|PROXY_\w+|EXEC_PATH)$/;

const defined = (env: NodeJS.ProcessEnv): Record<string, string> =>
  Object.fromEntries(Object.entries(env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])));

/**
 * Environment of a call that stays on this machine: a short allow-list, and no configuration file of the person or
 * the system. So no filter, textconv, alias or diff setting of theirs exists at all. `HOME` keeps an old git, which
 * does not know GIT_CONFIG_GLOBAL, from them too.
 */
export const isolatedEnvironment = (env: NodeJS.ProcessEnv): Record<string, string> => ({
  ...Object.fromEntries(Object.entries(defined(env)).filter(([name]) => hostNames.includes(name))),
  ...always,
  HOME: "/dev/null",
  XDG_CONFIG_HOME: "/dev/null",
  GIT_CONFIG_GLOBAL: "/dev/null",
  GIT_CONFIG_SYSTEM: "/dev/null",
  GIT_CONFIG_NOSYSTEM: "1",
  GIT_ALLOW_PROTOCOL: "none",
});

/**
 * Environment of a call that may reach a remote: the person's own (their credential helpers, `insteadOf`, proxies,
 * certificates, ssh agent work), without variables that redirect git. `protocols` overrides every `protocol.*` setting.
 */
export const transportEnvironment = (
  env: NodeJS.ProcessEnv,
  protocols: ReadonlyArray<string>,
): Record<string, string> => ({
  ...Object.fromEntries(
    Object.entries(defined(env)).filter(([name]) => !name.startsWith("GIT_") || transportNames.test(name)),
  ),
  ...always,
  GIT_ALLOW_PROTOCOL: protocols.length === 0 ? "none" : protocols.join(":"),
});
