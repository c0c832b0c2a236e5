import * as Effect from "effect/Effect";

/** An ssh address: the host as written, which may be an alias of the person's ssh configuration, and the path. */
export interface SshAddress {
  readonly host: string;
  readonly path: string;
}

const name = "[A-Za-z0-9][A-Za-z0-9._-]{0,99}";
const shapes = [new RegExp(`^git@(${name}):/?([^:]+)$`), new RegExp(`^ssh://git@(${name})/(.+)$`)];

/** `git@HOST:OWNER/REPO` or `ssh://git@HOST/OWNER/REPO`; null for anything else. The path is not looked at. */
export const sshAddress = (text: string): SshAddress | null => {
  for (const shape of shapes) {
    const [, host, path] = shape.exec(text) ?? [];
    if (host !== undefined && path !== undefined) return { host, path };
  }
  return null;
};

/** Hosts that answer ssh at another name, for networks that let only port 443 through. */
const sshNames: Readonly<Record<string, string>> = {
  "ssh.github.com": "github.com",
  "altssh.bitbucket.org": "bitbucket.org",
};

/**
 * The host behind a name of the person's ssh configuration (`Host github-work` with `HostName github.com`), as
 * `ssh -G` tells it without connecting; null when ssh is missing, does not answer within 5 s or knows no other name.
 */
export const hostBehindAlias = (alias: string): Effect.Effect<string | null> =>
  Effect.promise(async (signal) => {
    const { execa } = await import("execa");
    const result = await execa("ssh", ["-G", `git@${alias}`], {
      stdin: "ignore",
      timeout: 5_000,
      reject: false,
      maxBuffer: 256 * 1024,
      cancelSignal: signal,
    });
    if (result.failed) return null;
    const found = /^hostname (\S+)$/im.exec(result.stdout)?.[1]?.toLowerCase();
    if (found === undefined || found === alias.toLowerCase()) return null;
    return sshNames[found] ?? found;
  });
