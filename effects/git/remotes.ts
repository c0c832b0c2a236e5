import { statSync } from "node:fs";
import { isAbsolute, join } from "node:path";
import * as Effect from "effect/Effect";
import { isFullRef, parseRemoteRefs, type RemoteRefs } from "../../src/git/refs.ts";
import { ensureBareClone } from "./bareClone.ts";
import { runWriter } from "./cloneLock.ts";
import type { GitContext } from "./context.ts";
import { GitFailed, refMissing, ShallowSource } from "./errors.ts";
import { explainIncomplete, looksIncomplete } from "./missingObjects.ts";
import type { Transport } from "./runGit.ts";
import { openTransport, type RemoteSource } from "./transport.ts";

export interface RefMapping {
  /** Full name on the remote (refs/heads/…, refs/pull/N/head), or the whole name of a commit. */
  readonly remote: string;
  /** Full name in the clone, below refs/adk/. */
  readonly local: string;
}

export interface FetchedRef extends RefMapping {
  readonly sha: string;
}

export interface FetchOptions extends RemoteSource {
  readonly clone: string;
  readonly refs: ReadonlyArray<RefMapping>;
  /** Longest time of the fetch in milliseconds; 15 minutes when left out. */
  readonly timeoutMs?: number;
}

export interface ListOptions extends RemoteSource {
  /** Full ref names, or patterns with `*` as git takes them; `refs/heads/*` when left out. HEAD is always asked. */
  readonly patterns?: ReadonlyArray<string>;
}

const listThrough = (git: GitContext, transport: Transport, cwd: string, options: ListOptions) => {
  const patterns = options.patterns ?? ["refs/heads/*"];
  const exact = new Set(patterns);
  return Effect.map(
    git.run({
      args: ["ls-remote", "--symref", "--quiet", "--end-of-options", options.url, "HEAD", ...patterns],
      cwd,
      transport,
      timeoutMs: 120_000,
    }),
    ({ stdout }): RemoteRefs => {
      const { head, refs } = parseRemoteRefs(stdout);
      // git matches the end of a name: refs/heads/x also finds refs/other/refs/heads/x.
      const wanted = [...refs].filter(
        ([name]) => exact.has(name) || patterns.some((pattern) => globMatches(pattern, name)),
      );
      return { head, refs: new Map(wanted) };
    },
  );
};

const globMatches = (pattern: string, name: string): boolean => {
  const star = pattern.indexOf("*");
  if (star < 0 || pattern.indexOf("*", star + 1) >= 0) return false;
  const [start, end] = [pattern.slice(0, star), pattern.slice(star + 1)];
  return name.length >= start.length + end.length && name.startsWith(start) && name.endsWith(end);
};

/** Asks a remote for its default branch and refs; one round trip, nothing is fetched. */
export const lsRemote = (git: GitContext, options: ListOptions & { readonly clone?: string }) =>
  Effect.scoped(
    Effect.gen(function* () {
      const cwd = options.clone ?? "/";
      const transport = yield* openTransport(git.run, { source: options, cwd, folder: git.helperFolder });
      return yield* listThrough(git, transport, cwd, options);
    }),
  );

/** Makes the bare clone when there is none; fetches nothing. */
export const ensureClone = (git: GitContext, options: RemoteSource & { readonly clone: string }) =>
  git.underLock({ clone: options.clone, verb: "make a clone" }, ensureBareClone(git, options.clone));

const isShallow = (clone: string): boolean =>
  (statSync(join(clone, "shallow"), { throwIfNoEntry: false })?.size ?? 0) > 0;

const fetchOnce = (git: GitContext, transport: Transport, options: FetchOptions) =>
  Effect.catchIf(fetchRaw(git, transport, options), looksIncomplete, (broken) =>
    isAbsolute(options.url)
      ? explainIncomplete(git, { path: options.url, refs: options.refs.map(({ remote }) => remote) }, broken)
      : Effect.fail(broken),
  );

const fetchRaw = (git: GitContext, transport: Transport, options: FetchOptions) =>
  Effect.gen(function* () {
    const { clone, url } = options;
    const { stderr } = yield* runWriter(git.run, clone, {
      args: [
        "fetch",
        "--quiet",
        "--force",
        "--no-tags",
        "--no-prune",
        "--no-write-fetch-head",
        "--no-recurse-submodules",
        "--no-auto-maintenance",
        "--no-show-forced-updates",
        ...(transport.fetchOptions ?? []),
        ...(isShallow(clone) ? ["--unshallow"] : []),
        "--stdin",
        "--end-of-options",
        url,
      ],
      gitDir: clone,
      transport,
      input: Buffer.from(options.refs.map(({ remote, local }) => `+${remote}:${local}\n`).join("")),
      timeoutMs: options.timeoutMs ?? 15 * 60_000,
    });
    if (/shallow roots are not allowed|shallow update not allowed/.test(stderr))
      return yield* new ShallowSource({
        message: `${url} is a shallow clone: its history is cut off, so merge bases cannot be found`,
        hint: `run git fetch --unshallow in ${url} and try again`,
        url,
      });
  });

// The last two are for a commit by its name: a remote that does not have it, or hands out named refs only.
const isMissingRef = (error: { readonly _tag: string }): error is GitFailed =>
  error instanceof GitFailed && /couldn't find remote ref|not our ref|unadvertised object/.test(error.stderr);

const isCommitName = (text: string): boolean => /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/.test(text);

/** Fetches; when a ref is not there any more, asks what is and fetches that. `tries` bounds the race with deletions. */
const fetchExisting = (
  git: GitContext,
  transport: Transport,
  options: FetchOptions,
  tries: number,
): Effect.Effect<ReadonlyArray<RefMapping>, Effect.Effect.Error<ReturnType<typeof fetchOnce>>> =>
  options.refs.length === 0
    ? Effect.succeed([])
    : Effect.as(fetchOnce(git, transport, options), options.refs).pipe(
        Effect.catchIf(
          (error) => tries > 0 && isMissingRef(error),
          () =>
            Effect.gen(function* () {
              const patterns = options.refs.map(({ remote }) => remote);
              const { refs } = yield* listThrough(git, transport, options.clone, { ...options, patterns });
              const there = options.refs.filter(({ remote }) => refs.has(remote));
              return yield* fetchExisting(git, transport, { ...options, refs: there }, tries - 1);
            }),
        ),
      );

const readLocal = (git: GitContext, clone: string, refs: ReadonlyArray<RefMapping>) =>
  Effect.gen(function* () {
    const { stdout } = yield* git.run({
      args: ["for-each-ref", "--format=%(objectname)%09%(refname)", "refs/adk/"],
      gitDir: clone,
    });
    const known = parseRemoteRefs(stdout).refs;
    const fetched: FetchedRef[] = [];
    for (const ref of refs) {
      const sha = known.get(ref.local);
      if (sha === undefined) return yield* refMissing(ref.local);
      fetched.push({ ...ref, sha });
    }
    return fetched;
  });

/**
 * Fetches many full refs, or commits by their names, with one call of git, forced, without depth, under the clone's lock. Refs that the remote does
 * not have are returned in `missing` and fail no other; names that no ref can have are missing too. A clone that was
 * cut off is completed; a source that is cut off is `ShallowSource`, since its merge bases are lost.
 */
export const fetchRefs = (git: GitContext, options: FetchOptions) =>
  Effect.gen(function* () {
    for (const { local } of options.refs)
      if (!local.startsWith("refs/adk/") || !isFullRef(local)) throw new Error(`not a ref of adk: ${local}`);
    const possible = [...new Map(options.refs.map((ref) => [ref.local, ref])).values()].filter(
      ({ remote }) => isFullRef(remote) || isCommitName(remote),
    );
    const there = yield* git.underLock(
      { clone: options.clone, verb: "fetch" },
      Effect.scoped(
        Effect.gen(function* () {
          const source = { source: options, cwd: options.clone, folder: git.helperFolder };
          const transport = yield* openTransport(git.run, source);
          const kept = yield* fetchExisting(git, transport, { ...options, refs: possible }, 3);
          return yield* readLocal(git, options.clone, kept);
        }),
      ),
    );
    const got = new Set(there.map(({ remote }) => remote));
    const missing = [...new Set(options.refs.map(({ remote }) => remote))].filter((remote) => !got.has(remote));
    return { fetched: there, missing };
  });
