import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import * as Effect from "effect/Effect";
import type * as Scope from "effect/Scope";
import type { WriteFailed } from "../store/errors.ts";
import { files } from "./context.ts";

/** A token for one https host. It goes to git through a helper program and a variable, never by URL or argv. */
export interface Credential {
  /** Host with a port when the URL has one, as in the URL. */
  readonly host: string;
  readonly token: string;
  /** User name that goes with the token; `x-access-token` when left out. */
  readonly username?: string;
}

const safeHost = /^[A-Za-z0-9.-]+(?::\d{1,5})?$/;
const safeName = /^[A-Za-z0-9._-]+$/;

/** Host of an https URL, with its port, spelled as it stands there; null for any other URL. */
export const httpsHost = (url: string): string | null => /^https:\/\/([^/@?#\\]+)(?:[/?#]|$)/.exec(url)?.[1] ?? null;

const tokenVariable = "ADK_GIT_ASKPASS_TOKEN";

/**
 * The helper that git asks: it knows the two questions git puts for this host, word for word, and answers no other,
 * so neither a redirect nor an `insteadOf` brings the token to another host. The token is not in the file.
 */
export const askpassScript = (host: string, username: string): string => `#!/bin/sh
case "$1" in
"Username for 'https://${host}': ") printf '%s\\n' '${username}' ;;
"Password for 'https://${username}@${host}': ") printf '%s\\n' "$${tokenVariable}" ;;
*) exit 1 ;;
esac
`;

export interface CredentialUse {
  readonly env: Readonly<Record<string, string>>;
  readonly config: ReadonlyArray<string>;
}

const none: CredentialUse = { env: {}, config: [] };

/**
 * Makes the helper for one call and removes it afterwards; `folder` holds it, since temporary folders are often
 * mounted without execution. A credential of another host than the URL's is left out. For this host the person's own
 * helpers are off: they would answer first, and would be told to store adk's token.
 */
export const useCredential = (options: {
  readonly folder: string;
  readonly url: string;
  readonly credential: Credential | undefined;
}): Effect.Effect<CredentialUse, WriteFailed, Scope.Scope> => {
  const host = httpsHost(options.url);
  const { credential } = options;
  const username = credential?.username ?? "x-access-token";
  if (credential === undefined || host === null || host.toLowerCase() !== credential.host.toLowerCase())
    return Effect.succeed(none);
  if (!safeHost.test(host) || !safeName.test(username)) return Effect.succeed(none);
  const make = async (): Promise<string> => {
    await mkdir(options.folder, { recursive: true, mode: 0o700 });
    const own = await mkdtemp(join(options.folder, "askpass-"));
    await writeFile(join(own, "askpass"), askpassScript(host, username), { mode: 0o700, flag: "wx" });
    return own;
  };
  const remove = (own: string): Promise<void> => rm(own, { recursive: true, force: true });
  return Effect.map(
    Effect.acquireRelease(files(options.folder, make), (own) => Effect.promise(() => remove(own))),
    (own) => ({
      env: { GIT_ASKPASS: join(own, "askpass"), [tokenVariable]: credential.token },
      config: [`credential.https://${host}.helper=`, `credential.https://${host}.useHttpPath=false`],
    }),
  );
};
