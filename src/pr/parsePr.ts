import * as Either from "effect/Either";
import { UsageError } from "../errors.ts";
import { identityKey, type PrIdentity } from "../names.ts";
import { isRepo, ownerAndRepo, prNumber } from "./prGrammar.ts";
import { canonicalPrUrl, type PrReference, parsePrUrl } from "./prUrl.ts";
import { quoted } from "./quoted.ts";

export interface PrNaming {
  /** `defaults.repo` of core.yaml, `owner/repo`: what a bare number belongs to. */
  readonly defaultRepo: string | null;
  /** Platform of every form that names none. */
  readonly defaultPlatform: "github" | "bitbucket";
  /** GitHub Enterprise hosts (`github.hosts`); github.com is always known. */
  readonly githubHosts: ReadonlyArray<string>;
  /** `--repo owner/repo`. */
  readonly repo?: string;
  /** `--pr N`. */
  readonly pr?: string;
}

type Parsed = Either.Either<PrReference, UsageError>;

const forms =
  "name a PR by its URL, owner/repo#N, owner/repo N, --repo owner/repo --pr N, REPO#N for a local one, or #N with defaults.repo set";

const refuse = (message: string, hint: string = forms): Either.Either<never, UsageError> =>
  Either.left(new UsageError({ message, hint }));

const plainHosts = { github: "github.com", bitbucket: "bitbucket.org" } as const;

/** What surrounds a PR in running text: `<…>`, `(…).`, a comma. Never part of a number or of a name's end. */
const bare = (word: string): string =>
  // Longer than any name of a PR: left as it is and refused. A search for an end at every character is quadratic.
  word.length > 4096 ? word : word.replace(/^[<([{"']+/, "").replace(/[.,;:!?>)\]}"']+$/, "");

const numbered = (repository: string, number: string, naming: PrNaming): Parsed => {
  const platform = naming.defaultPlatform;
  const names = ownerAndRepo(platform, repository);
  if (names === null) return refuse(`${quoted(repository)} is not owner/repo`);
  const value = prNumber(number.replace(/^#/, ""));
  if (value === null) return refuse(`${quoted(number)} is not a PR number (1 to 2147483647)`);
  const identity: PrIdentity = { platform, host: plainHosts[platform], ...names, pr_number: value };
  return Either.right({ ...identity, pr_url: canonicalPrUrl(identity) });
};

const local = (text: string): Parsed => {
  const [repo = "", number = "", ...rest] = text.slice("local:".length).split("#");
  const value = prNumber(number);
  if (!isRepo(repo) || value === null || rest.length > 0)
    return refuse(`${quoted(text)} is not local:REPO#N`, "adk pr-queue list shows the local change requests");
  const identity: PrIdentity = { platform: "local", host: "local", owner: "", repo, pr_number: value };
  return Either.right({ ...identity, pr_url: canonicalPrUrl(identity) });
};

const isNumber = (word: string): boolean => /^#?[0-9]+$/.test(word);
const isUrl = (word: string): boolean => /^[a-z][a-z0-9+.-]*:/i.test(word) && !/^local:/i.test(word);

const single = (word: string, naming: PrNaming): Parsed => {
  const text = bare(word);
  if (isUrl(text)) return parsePrUrl(text, naming);
  if (/^local:/i.test(text)) return local(text);
  if (isNumber(text)) {
    const repository = naming.repo ?? naming.defaultRepo;
    if (repository !== null) return numbered(repository, text, naming);
    return refuse(
      `${quoted(text)} does not say which repository`,
      "write owner/repo#N, or set the default: adk config set defaults.repo owner/repo",
    );
  }
  const [repository = "", number, ...rest] = text.split("#");
  if (number === undefined || rest.length > 0) {
    return ownerAndRepo(naming.defaultPlatform, text) === null
      ? refuse(`${quoted(word)} names no PR`)
      : refuse(`${quoted(word)} names a repository, not a PR`);
  }
  // No host has repositories without an owner: a bare name is a local repository's, as the list shows it.
  return repository.includes("/") ? numbered(repository, number, naming) : local(`local:${text}`);
};

const withFlags = (words: ReadonlyArray<string>, naming: PrNaming): Parsed | null => {
  const [word] = words;
  if (naming.pr !== undefined) {
    if (words.length > 0) return refuse(`the PR is named twice: ${quoted(words.join(" "))} and --pr`);
    return isNumber(naming.pr) ? single(naming.pr, naming) : refuse(`--pr ${quoted(naming.pr)} is not a PR number`);
  }
  if (naming.repo === undefined) return null;
  if (word === undefined) return refuse("--repo names a repository, not a PR", "add --pr N");
  return isNumber(bare(word)) ? null : refuse(`the repository is named twice: ${quoted(word)} and --repo`);
};

/**
 * The words of a verb that name ONE PR → the PR (spec 3, "A PR is named by any of"): its URL with whatever follows it,
 * `owner/repo#N`, `owner/repo N`, `--repo`/`--pr`, `#N` or `N` with a default repository; `local:REPO#N` or `REPO#N`.
 * Fails with UsageError, whose message says what is wrong with the words.
 */
export const parsePr = (words: ReadonlyArray<string>, naming: PrNaming): Parsed => {
  const flagged = withFlags(words, naming);
  if (flagged !== null) return flagged;
  const [first, second, third] = words;
  if (first === undefined) return refuse("no PR is named");
  if (second === undefined) return single(first, naming);
  if (third !== undefined) return refuse(`${quoted(words.join(" "))} is more than one PR`);
  return isNumber(bare(second)) && ownerAndRepo(naming.defaultPlatform, first) !== null
    ? numbered(first, bare(second), naming)
    : refuse(`${quoted(words.join(" "))} is more than one PR`);
};

/** The words of a verb that takes several PRs, one group a PR: `owner/repo N` is two words. Groups are not checked. */
export const groupPrWords = (
  words: ReadonlyArray<string>,
  naming: Pick<PrNaming, "defaultPlatform">,
): ReadonlyArray<ReadonlyArray<string>> => {
  const groups: Array<ReadonlyArray<string>> = [];
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at] ?? "";
    const next = words[at + 1];
    const isPair = next !== undefined && isNumber(bare(next)) && ownerAndRepo(naming.defaultPlatform, word) !== null;
    groups.push(isPair ? [word, next] : [word]);
    if (isPair) at += 1;
  }
  return groups;
};

/** Key under which two references are the same PR; local ones have no owner yet, so their address is the key. */
export const referenceKey = (pr: PrReference): string =>
  pr.platform === "local" ? pr.pr_url.toLowerCase() : identityKey(pr);

/** The words of a verb that takes several PRs → the PRs in the order given, each once. The first wrong one fails all. */
export const parsePrList = (
  words: ReadonlyArray<string>,
  naming: PrNaming,
): Either.Either<ReadonlyArray<PrReference>, UsageError> => {
  const groups = words.length === 0 ? [[]] : groupPrWords(words, naming);
  const found = new Map<string, PrReference>();
  for (const group of groups) {
    const parsed = parsePr(group, naming);
    if (Either.isLeft(parsed)) return Either.left(parsed.left);
    const key = referenceKey(parsed.right);
    if (!found.has(key)) found.set(key, parsed.right);
  }
  return Either.right([...found.values()]);
};

/** The row that a reference means, or null: by identity, on `local` by address (unique in a queue). */
export const findPr = <Row extends PrReference>(rows: ReadonlyArray<Row>, pr: PrReference): Row | null => {
  const key = referenceKey(pr);
  return rows.find((row) => row.platform === pr.platform && referenceKey(row) === key) ?? null;
};

/**
 * Rows whose repository had the reference's name before it was renamed or transferred. More than one when a new
 * repository took the name and was renamed in turn. Only for rows that a person names: what else bears an old name may
 * mean the new repository of that name.
 */
export const formerlyNamed = <Row extends PrReference & { readonly former_urls?: ReadonlyArray<string> }>(
  rows: ReadonlyArray<Row>,
  pr: PrReference,
): ReadonlyArray<Row> => {
  const asked = pr.pr_url.toLowerCase();
  return rows.filter((row) => row.former_urls?.some((url) => url.toLowerCase() === asked) === true);
};
