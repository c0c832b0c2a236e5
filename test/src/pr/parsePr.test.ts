import * as Either from "effect/Either";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { identityKey } from "../../../src/names.ts";
import { findPr, groupPrWords, type PrNaming, parsePr, parsePrList } from "../../../src/pr/parsePr.ts";
import { hostileUrls } from "./hostileUrls.ts";

const naming: PrNaming = { defaultRepo: "acme/shop", defaultPlatform: "github", githubHosts: ["ghe.acme.test"] };

const parsed = (words: string | ReadonlyArray<string>, over: Partial<PrNaming> = {}) =>
  Either.getOrThrowWith(
    parsePr(typeof words === "string" ? [words] : words, { ...naming, ...over }),
    (error) => new Error(error.message),
  );

const refusal = (words: string | ReadonlyArray<string>, over: Partial<PrNaming> = {}) => {
  const result = parsePr(typeof words === "string" ? [words] : words, { ...naming, ...over });
  if (Either.isRight(result)) throw new Error(`accepted as ${result.right.pr_url}`);
  return result.left;
};

const page = "https://github.com/Acme/shop-api/pull/12";

describe("a PR's address", () => {
  it.each([
    "",
    "/",
    "/files",
    "/files?w=1#diff-0a1b",
    "/commits/0123456789abcdef0123456789abcdef01234567",
    "/changes",
    "/checks?check_run_id=7",
    "?w=1",
    "#discussion_r1",
    "#issuecomment-99",
    ".",
    ")",
    ").",
    ">",
    ",",
    "/files)",
  ])("may be followed by %j", (rest) => {
    expect(parsed(`${page}${rest}`)).toEqual({
      platform: "github",
      host: "github.com",
      owner: "Acme",
      repo: "shop-api",
      pr_number: 12,
      pr_url: page,
    });
  });

  it("may stand in brackets", () => {
    expect(parsed(`<${page}>`).pr_url).toBe(page);
    expect(parsed(`(${page}).`).pr_url).toBe(page);
  });

  it("is one identity whatever the case and the page", () => {
    const keys = [
      "https://github.com/acme/SHOP/pull/7",
      "HTTPS://GitHub.com/Acme/shop/pull/7/files",
      "ACME/Shop#7",
    ].map((word) => identityKey(parsed(word)));
    expect(new Set(keys)).toEqual(new Set(["github:github.com/acme/shop#7"]));
  });

  it("is read by position, not by words: a repository may be called pull or commits", () => {
    expect(parsed("https://github.com/pull/commits/pull/3/commits/pull")).toMatchObject({
      owner: "pull",
      repo: "commits",
      pr_number: 3,
    });
  });

  it("may be on a configured enterprise host, and the host is part of the identity", () => {
    const pr = parsed("https://GHE.acme.test/acme/shop/pull/7");
    expect(pr.pr_url).toBe("https://ghe.acme.test/acme/shop/pull/7");
    expect(identityKey(pr)).not.toBe(identityKey(parsed("acme/shop#7")));
  });

  it("may be on Bitbucket", () => {
    expect(parsed("https://bitbucket.org/team/jobs/pull-requests/5/diff")).toEqual({
      platform: "bitbucket",
      host: "bitbucket.org",
      owner: "team",
      repo: "jobs",
      pr_number: 5,
      pr_url: "https://bitbucket.org/team/jobs/pull-requests/5",
    });
  });

  it.each(hostileUrls)("is refused: %j", (url) => {
    const error = refusal(url);
    expect(error._tag).toBe("UsageError");
    expect(error.message).toMatch(/^[\x20-\x7e…]+$/);
    expect(error.hint).not.toBe("");
  });

  it.each([
    ["https://ghe.other.test/o/r/pull/1", /ghe\.other\.test is not a known host/],
    ["https://github.com/o/r/pulls/12", /not the page of a PR/],
    ["https://github.com/o/r/pull/new", /"new" is not a PR number/],
    ["https://github.com/o/r/pull/012", /"012" is not a PR number/],
    ["https://github.com/o/r/issues/12", /not the page of a PR/],
    ["https://github.com/o/r.git/pull/1", /clone address/],
    ["https://me:secret@github.com/o/r/pull/1", /user name/],
    ["https://github.com:443/o/r/pull/1", /port/],
    ["http://github.com/o/r/pull/1", /not an https URL/],
    ["https://github.com/o/r/pull/1\n", /control character/],
    ["https://github.com\\@evil.test/o/r/pull/1", /backslash/],
    ["https://g\u0456thub.com/o/r/pull/1", /not ASCII/],
    ["https://github.com/a/b/../../o/r/pull/1", /does not mean what it says/],
  ])("says what is wrong with %j", (url, message) => {
    expect(refusal(url).message).toMatch(message);
  });
});

describe("the short forms", () => {
  it.each([
    [["acme/shop#9"], {}],
    [["acme/shop", "9"], {}],
    [["acme/shop", "#9"], {}],
    [["#9"], {}],
    [["9"], {}],
    [["9"], { repo: "acme/shop", defaultRepo: null }],
    [[], { repo: "acme/shop", pr: "9", defaultRepo: null }],
    [[], { pr: "#9" }],
  ] as ReadonlyArray<[ReadonlyArray<string>, Partial<PrNaming>]>)("%j with %j is acme/shop#9", (words, over) => {
    expect(parsed(words, over).pr_url).toBe("https://github.com/acme/shop/pull/9");
  });

  it("belong to the default platform", () => {
    expect(parsed("team/jobs#5", { defaultPlatform: "bitbucket" }).pr_url).toBe(
      "https://bitbucket.org/team/jobs/pull-requests/5",
    );
  });

  it("name a local change request by repository and number", () => {
    expect(parsed("local:shop.api#3")).toMatchObject({ platform: "local", host: "local", pr_url: "local:shop.api#3" });
  });

  it.each([
    [[], {}, /no PR is named/],
    [["7"], { defaultRepo: null }, /does not say which repository/],
    [["acme/shop"], {}, /names a repository, not a PR/],
    [["acme/shop", "x"], {}, /more than one PR/],
    [["1", "2"], {}, /more than one PR/],
    [["1", "2", "3"], {}, /more than one PR/],
    [["0"], {}, /not a PR number/],
    [["007"], {}, /not a PR number/],
    [["2147483648"], {}, /not a PR number/],
    [["12345678901234567890"], {}, /not a PR number/],
    [["acme/shop#"], {}, /not a PR number/],
    [["acme/shop#1#2"], {}, /names no PR/],
    [["a/b/c#1"], {}, /is not owner\/repo/],
    [["../..#1"], {}, /is not owner\/repo/],
    [["-o/r#1"], {}, /is not owner\/repo/],
    [["main"], {}, /names no PR/],
    [["https://github.com/a/b/pull/1"], { pr: "2" }, /named twice/],
    [["https://github.com/a/b/pull/1"], { repo: "a/b" }, /named twice/],
    [[], { repo: "a/b" }, /a repository, not a PR/],
    [[], { repo: "a/b", pr: "x" }, /--pr "x"/],
    [["1"], { repo: "https://github.com/a/b" }, /is not owner\/repo/],
    [["local:a/b#1"], {}, /not local:REPO#N/],
    [["local:..#1"], {}, /not local:REPO#N/],
    [["local:shop"], {}, /not local:REPO#N/],
  ] as ReadonlyArray<[ReadonlyArray<string>, Partial<PrNaming>, RegExp]>)(
    "%j with %j is refused",
    (words, over, why) => {
      expect(refusal(words, over).message).toMatch(why);
    },
  );
});

describe("several PRs", () => {
  it("are read in order, owner/repo N as two words, each PR once", () => {
    const list = parsePrList(["acme/shop", "9", "3", `${page}/files`, page.toLowerCase(), "local:x#1"], naming);
    expect(Either.getOrThrow(list).map((pr) => pr.pr_url)).toEqual([
      "https://github.com/acme/shop/pull/9",
      "https://github.com/acme/shop/pull/3",
      page,
      "local:x#1",
    ]);
  });

  it("are grouped into words without being checked, for verbs that go on past a wrong one", () => {
    expect(groupPrWords(["acme/shop", "9", "nonsense", "7"], naming)).toEqual([
      ["acme/shop", "9"],
      ["nonsense"],
      ["7"],
    ]);
  });

  it("fail by the first wrong one", () => {
    expect(Either.isLeft(parsePrList(["3", "nonsense"], naming))).toBe(true);
    expect(Either.isLeft(parsePrList([], naming))).toBe(true);
  });
});

describe("findPr", () => {
  it("finds a row by identity, a local one by its address", () => {
    const rows = [
      { platform: "local", host: "local", owner: "0123456789", repo: "Shop", pr_number: 3, pr_url: "local:Shop#3" },
      parsed("ACME/SHOP#3"),
    ] as const;
    expect(findPr(rows, parsed("acme/shop#3"))).toBe(rows[1]);
    expect(findPr(rows, parsed("local:shop#3"))).toBe(rows[0]);
    expect(findPr(rows, parsed("local:shop#4"))).toBeNull();
  });
});

const owner = fc.stringMatching(/^[A-Za-z0-9][A-Za-z0-9-]{0,20}$/);
const repo = fc.stringMatching(/^[A-Za-z0-9._-]{1,30}$/).filter((name) => !/^\.{1,2}$|\.git$/i.test(name));
const number = fc.integer({ min: 1, max: 2_147_483_647 });

describe("properties", () => {
  it("every form of one PR gives one canonical address, and that address gives itself", () => {
    fc.assert(
      fc.property(owner, repo, number, fc.webPath(), (o, r, n, tail) => {
        const url = `https://github.com/${o}/${r}/pull/${n}`;
        expect(parsed(url).pr_url).toBe(url);
        expect(parsed(`${o}/${r}#${n}`).pr_url).toBe(url);
        expect(parsed([`${o}/${r}`, String(n)]).pr_url).toBe(url);
        expect(parsed([], { repo: `${o}/${r}`, pr: String(n) }).pr_url).toBe(url);
        fc.pre(!/\.\.?(\/|$)|%2e/i.test(tail));
        expect(parsed(`${url}/files${tail.startsWith("/") ? tail : `/${tail}`}`).pr_url).toBe(url);
      }),
    );
  });

  it("whatever is accepted is a plain https address of a known host, and never throws", () => {
    const nearly = fc
      .tuple(
        fc.constantFrom("https://", "https:/", "http://", "HTTPS://", "//", "ext::"),
        fc.constantFrom("github.com", "github.com.", "github.com@evil.test", "evil.test/github.com", "[::1]", "0012"),
        fc.constantFrom("/o/r/pull/1", "/o/r/pull/1/..", "//o/r/pull/1", "/o/%2e%2e/pull/1", "/o/r/pull/1%0a"),
        fc.string({ unit: "binary", maxLength: 12 }),
      )
      .map((parts) => parts.join(""));
    fc.assert(
      fc.property(fc.oneof(nearly, fc.string({ unit: "binary", maxLength: 60 })), (word) => {
        const result = parsePr([word], naming);
        if (Either.isRight(result))
          expect(result.right.pr_url).toMatch(
            /^(https:\/\/(github\.com|ghe\.acme\.test)\/[\w-]+\/[\w.-]+\/pull\/[1-9]\d*|local:[\w.-]+#[1-9]\d*)$/,
          );
      }),
      { numRuns: 1000 },
    );
  });

  it("answers to 100 KB of anything within 50 ms", () => {
    for (const word of [
      "(".repeat(100_000),
      ".".repeat(100_000),
      `${"a".repeat(100_000)}#`,
      `1${")".repeat(100_000)}x`,
    ]) {
      const start = performance.now();
      parsePr([word], naming);
      expect(performance.now() - start).toBeLessThan(50);
    }
  });
});
