import * as Effect from "effect/Effect";
import type * as Scope from "effect/Scope";
import type { WriteFailed } from "../store/errors.ts";
import { type Credential, useCredential } from "./askpass.ts";
import { type GitError, UrlRefused } from "./errors.ts";
import type { RunGit, Transport } from "./runGit.ts";

/** Where to fetch from. */
export interface RemoteSource {
  /** https or ssh URL, or a path that the user registered. */
  readonly url: string;
  /** The registered path; the file transport is off unless it equals `url`. */
  readonly allowFile?: string;
  readonly credential?: Credential;
}

type Protocol = "https" | "ssh" | "file";

/** The transport that git would use for an address; null for one that adk has no use for. */
export const protocolOf = (url: string): Protocol | null => {
  if (/^https:\/\//.test(url)) return "https";
  if (/^(?:ssh|git\+ssh|ssh\+git):\/\//.test(url)) return "ssh";
  if (/^file:\/\/\//.test(url) || /^\//.test(url)) return "file";
  if (/^[A-Za-z][\w+.-]*:\/\//.test(url) || /^[\w+.-]+::/.test(url) || url.startsWith("-")) return null;
  return /^(?:[A-Za-z0-9._-]+@)?[A-Za-z0-9][A-Za-z0-9.-]*:[^:]/.test(url) ? "ssh" : null;
};

/**
 * A fetch from a path starts `git upload-pack` on this machine, and that one reads the person's configuration alone:
 * what git gets on its own command line is taken from its children. So `uploadpack.packObjectsHook`, a program to run
 * in place of `git pack-objects`, is set for the child. `env` runs the words that it is given, as if there were no hook;
 * an empty value would be run too, and fail.
 */
const localUploadPack = ["--upload-pack=git -c uploadpack.packObjectsHook=env upload-pack"];

const refused = (url: string, why: string): UrlRefused =>
  new UrlRefused({
    message: `adk does not fetch from ${url}: ${why}`,
    hint: "register the repository with adk repo add, by its https or ssh URL or its path on this machine",
    url,
  });

/**
 * What a fetch from `source` is allowed (threat T5): https; ssh when the address, after the person's own `insteadOf`
 * rules, is an ssh one; file only for the registered path, or when those rules map to a path. Their rules are theirs
 * to make; a URL from outside cannot make one.
 */
export const openTransport = (
  run: RunGit,
  options: { readonly source: RemoteSource; readonly cwd: string; readonly folder: string },
): Effect.Effect<Transport, GitError | UrlRefused | WriteFailed, Scope.Scope> =>
  Effect.gen(function* () {
    const { source } = options;
    const asked = protocolOf(source.url);
    if (asked === null) return yield* refused(source.url, "its transport is not https or ssh");
    const answer = yield* run({
      args: ["ls-remote", "--get-url", "--end-of-options", source.url],
      cwd: options.cwd,
      transport: { protocols: [] },
      timeoutMs: 20_000,
    });
    const effective = answer.stdout.toString("utf8").replace(/\n$/, "");
    const used = protocolOf(effective);
    if (used === null)
      return yield* refused(source.url, "an insteadOf rule maps it to a transport that adk does not use");
    const registered = source.allowFile !== undefined && source.allowFile === source.url;
    if (used === "file" && effective === source.url && !registered)
      return yield* refused(source.url, "no repository is registered at that path");
    const credential = yield* useCredential({
      folder: options.folder,
      url: effective,
      credential: source.credential,
    });
    return {
      protocols: [used],
      config: credential.config,
      env: credential.env,
      fetchOptions: used === "file" ? localUploadPack : [],
    };
  });
