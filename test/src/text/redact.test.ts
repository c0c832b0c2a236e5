import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { makeRedactor, scrubArgv, secretsOfEnvironment } from "../../../src/text/redact.ts";
import { secretName } from "../../../src/text/redactPatterns.ts";

const byShape = makeRedactor([]);

describe("secretsOfEnvironment", () => {
  it("takes the values of variables whose name ends like a secret's", () => {
    const env = {
      MY_TOKEN: "value-1",
      OPENAI_API_KEY: "value-2",
      app_secret: "value-3",
      DB_PASSWORD: "value-4",
      GH_PAT: "value-5",
      A_CRED: "value-6",
      B_CREDS: "value-7",
      GITHUB_TOKEN: "value-8",
      MONKEY: "banana!",
      PATH: "/usr/bin",
      SHORT_TOKEN: "abc",
    };
    expect(secretsOfEnvironment(env)).toEqual([1, 2, 3, 4, 5, 6, 7, 8].map((n) => `value-${n}`));
  });

  it.each(["MONKEY", "HOTKEY", "TOKENS", "KEYBOARD", "COMPAT", "PATH"])(
    "does not count %s as a secret's name",
    (name) => {
      expect(secretName.test(name)).toBe(false);
    },
  );
});

describe("makeRedactor, by value", () => {
  const encodings: ReadonlyArray<readonly [string, (value: string) => string]> = [
    ["raw", (value) => value],
    ["URL", (value) => `https://h/?q=${encodeURIComponent(value)}`],
    ["form", (value) => new URLSearchParams({ a: value }).toString()],
    ["base64", (value) => Buffer.from(value).toString("base64")],
    ["base64url", (value) => Buffer.from(value).toString("base64url")],
    ["base64 after one byte", (value) => Buffer.from(`:${value}`).toString("base64")],
    ["base64 after two bytes", (value) => Buffer.from(`x:${value}`).toString("base64")],
    ["base64 inside", (value) => Buffer.from(`user:${value}@h`).toString("base64")],
    ["shell, single quotes", (value) => `'${value.replaceAll("'", "'\\''")}'`],
    ["JSON", (value) => JSON.stringify({ a: value })],
    ["JSON in JSON", (value) => JSON.stringify(JSON.stringify([value]))],
    ["hex", (value) => Buffer.from(value).toString("hex")],
  ];

  it.each(encodings)("masks any secret in its %s form and keeps what stands around it", (_, encode) => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme-ascii", minLength: 12, maxLength: 60 }), (value) => {
        fc.pre(value.trim().length >= 12 && !"<redacted>".includes(value));
        const masked = makeRedactor([value])(`before ${encode(value)} after`);
        expect(masked).toContain("<redacted>");
        expect(masked).not.toContain(encode(value).slice(3, -3));
        expect(masked.startsWith("before ")).toBe(true);
      }),
    );
  });

  it("leaves no tail of a value with quotes, spaces and signs", () => {
    expect(makeRedactor(['canary/va+lue "x"'])('set canary/va+lue "x" now')).toBe("set <redacted> now");
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom(..."abcXYZ019 \"'\\/+%$`é"), { minLength: 12, maxLength: 30 }),
        (characters) => {
          const value = `s${characters.join("")}e`;
          expect(makeRedactor([value])(`before [${value}] after`)).toBe("before [<redacted>] after");
          expect(makeRedactor([value])(JSON.stringify({ value }))).toBe('{"value":"<redacted>"}');
        },
      ),
    );
  });

  it("masks a value at the very start, in quotes and next to letters", () => {
    const redact = makeRedactor(["hunter2-hunter2"]);
    expect(redact('hunter2-hunter2 "hunter2-hunter2" xhunter2-hunter2x')).toBe('<redacted> "<redacted>" x<redacted>x');
  });

  it("masks a value that was cut off after eight characters or more", () => {
    const redact = makeRedactor(["abcdefghijklmnop"]);
    expect(redact("token abcdefghij…")).toBe("token <redacted>…");
    expect(redact("token abcdefghij")).toBe("token <redacted>");
    expect(redact("token abcdefghij...")).toBe("token <redacted>...");
    expect(redact("the word abcdefghx stays")).toBe("the word abcdefghx stays");
  });

  it("keeps folders readable when a variable holds a path", () => {
    expect(makeRedactor(["/home/ada/.ssh/id_ed25519"])("in /home/ada now")).toBe("in /home/ada now");
  });

  it("masks the longer of two values that begin alike", () => {
    expect(makeRedactor(["secret-a", "secret-a-long"])("x secret-a-long y")).toBe("x <redacted> y");
  });

  it("does not search for short values", () => {
    expect(makeRedactor(["ada"])("ada wrote this")).toBe("ada wrote this");
  });
});

describe("makeRedactor, by shape", () => {
  it.each([
    ["Authorization: Bearer abc.def-ghi", "abc.def-ghi"],
    ["authorization: token ghx", "ghx"],
    ["http.extraHeader=AUTHORIZATION: basic eC1hY2Nlc3M6dG9r", "eC1hY2Nlc3M6dG9r"],
    ['{"authorization":"Bearer abcdef"}', "abcdef"],
    ["ghp_16C7e42F292c6912E7710c838347Ae178B4a", "16C7"],
    ["xghs_16C7e42F292c6912E7710c838347Ae178B4a", "16C7"],
    ["github_pat_11ABCDEFG0abcdefghijkl_mnopqrst", "ABCDEFG"],
    ["xoxb-123456789012-abcdefABCDEF", "1234567"],
    ["xapp-1-A0123-456-abcdef", "A0123"],
    ["https://hooks.slack.com/services/T000/B000/XXXX", "T000"],
    ["fatal: https://ada:pa55word@github.com/a/b.git not found", "pa55word"],
    ["https://tok3nvalue@github.com/a/b.git", "tok3nvalue"],
    ["postgres://ada:pa55@db/x", "pa55"],
    ["GET /x?page=2&access_token=abc123&y=1", "abc123"],
    ["GITHUB_TOKEN=abc123def", "abc123def"],
    ['{"SLACK_BOT_TOKEN": "abc123def"}', "abc123def"],
  ])("masks %s", (text, secret) => {
    expect(byShape(text)).not.toContain(secret);
    expect(byShape(text)).toContain("<redacted>");
  });

  it.each([
    "monkey=banana",
    "cache_key=main keyboard: qwerty",
    "ssh://git@github.com/acme/shop.git",
    "git@github.com:acme/shop.git",
    "https://github.com/acme/shop/pull/1?w=1#discussion_r1",
    "https://github.com/@scope/pkg",
    "mail ada@example.invalid",
    "the authorization failed",
  ])("leaves %s readable", (text) => {
    expect(byShape(text)).toBe(text);
  });

  it("changes nothing the second time", () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 80 }), (text) => {
        const once = byShape(`${text} Authorization: Bearer ${text} https://${text}@h ghp_abcdefgh`);
        expect(byShape(once)).toBe(once);
      }),
    );
  });
});

describe("scrubArgv", () => {
  it("masks the value of secret flags, dashes or underscores, joined or apart", () => {
    expect(scrubArgv(["claim", "--token", "abc", "--slack_token=abc", "--monkey", "banana", "--key"])).toEqual([
      "claim",
      "--token",
      "<redacted>",
      "--slack_token=<redacted>",
      "--monkey",
      "banana",
      "--key",
    ]);
  });
});
