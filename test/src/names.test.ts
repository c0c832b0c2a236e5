import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { branchSlug, identityKey, taskName } from "../../src/names.ts";

const pr = (owner: string, repo: string, pr_number = 1, host = "github.com") =>
  ({ platform: "github", host, owner, repo, pr_number }) as const;

describe("branchSlug", () => {
  it("is the name itself when nothing is lost", () => {
    expect(branchSlug("main")).toBe("main");
    expect(branchSlug("release-v2-1")).toBe("release-v2-1");
  });

  it("carries ten hex digits of the exact name when something is lost", () => {
    expect(branchSlug("release/v2.1")).toMatch(/^release-v2-1~[0-9a-f]{10}$/);
    expect(branchSlug("Feature/X")).not.toBe(branchSlug("feature/x"));
    expect(branchSlug("..")).toMatch(/^branch~[0-9a-f]{10}$/);
  });

  it("is equal for the NFC and NFD forms of one name", () => {
    expect(branchSlug("cafe\u0301")).toBe(branchSlug("caf\u00e9"));
  });

  it("never gives two refs one folder, on a case-insensitive file system either", () => {
    fc.assert(
      fc.property(
        fc.string({ unit: "binary", minLength: 1, maxLength: 90 }),
        fc.string({ unit: "binary", minLength: 1, maxLength: 90 }),
        (a, b) => {
          fc.pre(a.normalize("NFC") !== b.normalize("NFC"));
          expect(branchSlug(a).toLowerCase()).not.toBe(branchSlug(b).toLowerCase());
          expect(Buffer.byteLength(branchSlug(a))).toBeLessThanOrEqual(80);
          expect(branchSlug(a)).toMatch(/^[a-z0-9~-]+$/);
        },
      ),
    );
  });
});

describe("taskName", () => {
  it("is owner, repository and number on github.com", () => {
    expect(taskName(pr("acme", "storefront-bff", 1234))).toBe("acme__storefront-bff_pr-1234");
  });

  it("tells owners, hosts and dotted names apart", () => {
    const names = [
      taskName(pr("acme", "foo")),
      taskName(pr("evil", "foo")),
      taskName(pr("acme", "foo", 1, "ghe.acme.test")),
      taskName(pr("acme", "foo.js")),
      taskName(pr("acme", "foo-js")),
      taskName(pr("a", "b__c")),
      taskName(pr("a__b", "c")),
    ];
    expect(new Set(names).size).toBe(names.length);
  });

  it("folds case, as the hosts do", () => {
    expect(taskName(pr("Acme", "Foo"))).toBe(taskName(pr("acme", "foo")));
    expect(identityKey(pr("Acme", "Foo"))).toBe(identityKey(pr("acme", "foo")));
  });
});
