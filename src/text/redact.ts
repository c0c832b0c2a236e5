import { redactPatterns, secretFlag, secretName } from "./redactPatterns.ts";

/** What stands where a secret stood. */
export const redacted = "<redacted>";

/** Values shorter than this are not searched for: they would mask ordinary words. */
export const minSecretLength = 6;

/** A cut-off value counts as the secret from this many characters on (fault F31). */
const minPrefixLength = 8;

/** Values of all variables that are named like a secret (spec 2, "Redaction"), at least `minSecretLength` long. */
export const secretsOfEnvironment = (env: Readonly<Record<string, string | undefined>>): ReadonlyArray<string> => [
  ...new Set(
    Object.entries(env).flatMap(([name, value]) =>
      value !== undefined && value.trim().length >= minSecretLength && secretName.test(name) ? [value.trim()] : [],
    ),
  ),
];

const jsonEscaped = (text: string): string => JSON.stringify(text).slice(1, -1);

/** The three base64 forms that a value takes inside a longer encoded text, without the characters it shares. */
const base64Forms = (value: string): ReadonlyArray<string> =>
  [0, 1, 2].flatMap((offset) => {
    const bytes = Buffer.concat([Buffer.alloc(offset), Buffer.from(value, "utf8")]);
    const from = Math.ceil((offset * 8) / 6);
    const encoded = bytes.toString("base64").slice(from, Math.floor((bytes.length * 8) / 6));
    return [encoded, encoded.replaceAll("+", "-").replaceAll("/", "_")];
  });

const formsOf = (value: string): ReadonlyArray<string> => {
  const wellFormed = value.replaceAll(/\p{Cs}/gu, "\ufffd");
  const percent = encodeURIComponent(wellFormed);
  return [
    value,
    encodeURI(wellFormed),
    percent,
    percent.replaceAll("%20", "+"),
    percent.replaceAll(/%[0-9A-F]{2}/g, (code) => code.toLowerCase()),
    new URLSearchParams([["", wellFormed]]).toString().slice(1),
    ...base64Forms(value),
    value.replaceAll("'", "'\\''"),
    value.replaceAll("'", `'"'"'`),
    value.replaceAll(/[^A-Za-z0-9_@%+=:,./\n-]/g, "\\$&"),
    value.replaceAll(/["$`\\]/g, "\\$&"),
    jsonEscaped(value),
    jsonEscaped(jsonEscaped(value)),
    Buffer.from(value, "utf8").toString("hex"),
  ];
};

interface Form {
  readonly text: string;
  readonly start: string;
  /** A path is no secret by itself: its beginning names ordinary folders. */
  readonly partial: boolean;
}

const isCut = (text: string, at: number): boolean =>
  at >= text.length || /^(?:[\s"'`)\]}<\u2026]|\.\.\.)/.test(text.slice(at, at + 3));

type Match = (text: string, at: number, form: Form) => number;

/** Length of the whole of `form` at `at`, else 0. */
const wholeLength: Match = (text, at, form) => (text.startsWith(form.text, at) ? form.text.length : 0);

/** Length of the beginning of `form` at `at` when it is visibly cut off there, else 0. */
const cutLength: Match = (text, at, form) => {
  if (!form.partial) return 0;
  let length = form.start.length;
  while (length < form.text.length && text[at + length] === form.text[length]) length += 1;
  return length >= minPrefixLength && isCut(text, at + length) ? length : 0;
};

const maskForm = (match: Match) => (text: string, form: Form) => {
  let at = text.indexOf(form.start);
  if (at < 0) return text;
  let out = "";
  let done = 0;
  while (at >= 0) {
    const length = match(text, at, form);
    if (length > 0) {
      out += text.slice(done, at) + redacted;
      done = at + length;
    }
    at = text.indexOf(form.start, length > 0 ? done : at + 1);
  }
  return out + text.slice(done);
};

/** Whole values first: the beginning of one form may look like another one that was cut off (report D-163). */
const maskValues = (text: string, forms: ReadonlyArray<Form>): string =>
  forms.reduce(maskForm(cutLength), forms.reduce(maskForm(wholeLength), text));

const maskShapes = (text: string): string =>
  text
    .replaceAll(redactPatterns.authorization, `$1${redacted}`)
    .replaceAll(redactPatterns.bearer, `$1${redacted}`)
    .replaceAll(redactPatterns.githubToken, redacted)
    .replaceAll(redactPatterns.slackToken, redacted)
    .replaceAll(redactPatterns.slackHook, `$1${redacted}`)
    .replaceAll(redactPatterns.urlUserInfo, `$1${redacted}@`)
    .replaceAll(redactPatterns.otherUserInfo, `$1${redacted}@`)
    .replaceAll(redactPatterns.querySecret, `$1${redacted}`)
    .replaceAll(redactPatterns.assignment, `$1${redacted}`);

/**
 * A function that masks the given values and everything that looks like a secret (spec 2, "Redaction"). Values are
 * found raw and URL-, base64-, shell-, JSON- and hex-encoded, also when cut off after eight characters or more.
 * Redact structured values before serialising them, and whole texts before cutting them.
 */
export const makeRedactor = (secrets: ReadonlyArray<string>): ((text: string) => string) => {
  const forms = [...new Set(secrets.filter((secret) => secret.length >= minSecretLength).flatMap(formsOf))]
    .filter((text) => text.length >= minSecretLength)
    .sort((a, b) => b.length - a.length)
    .map((text): Form => ({ text, start: text.slice(0, minPrefixLength), partial: !/^[~./]/.test(text) }));
  return (text) => maskShapes(maskValues(text, forms));
};

/** Command-line words with the values of secret flags masked; both `--token V` and `--token=V` (spec 2, "Logs"). */
export const scrubArgv = (argv: ReadonlyArray<string>): ReadonlyArray<string> =>
  argv.map((word, index) => {
    const flag = word.split("=", 1)[0] ?? word;
    if (flag !== word && secretFlag.test(flag)) return `${flag}=${redacted}`;
    const before = argv[index - 1];
    return before !== undefined && secretFlag.test(before) ? redacted : word;
  });
