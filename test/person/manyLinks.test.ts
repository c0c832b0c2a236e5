import { describe, expect, it } from "vitest";
import { prLinksOf } from "../../src/slack/links.ts";

const url = (number: number): string => `https://github.com/acme/shop/pull/${number}`;
const numbers = (text: string) => prLinksOf({ text, links: [] }, { githubHosts: [] }).map(({ pr_number }) => pr_number);

describe("a message of as many links as Slack takes", () => {
  it("gives every PR, in the order of the text", () => {
    const wanted = [...Array.from({ length: 900 }, (_, n) => 1000 + n), 1, 10];
    expect(numbers(wanted.map((number) => `<${url(number)}>`).join(" "))).toEqual(wanted);
    expect(numbers(wanted.map(url).join(" "))).toEqual(wanted);
  });

  it("does not lose a PR behind hundreds of other addresses", () => {
    const others = Array.from({ length: 500 }, (_, n) => `https://wiki.example/${n}`).join("\n");
    expect(numbers(`${others}\n${url(7)}`)).toEqual([7]);
  });
});
