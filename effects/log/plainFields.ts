const maxDepth = 8;
const maxItems = 1_000;

const plainError = (error: Error, redact: (text: string) => string, depth: number): Record<string, unknown> => ({
  ...plainObject(error as unknown as Record<string, unknown>, redact, depth),
  name: error.name,
  message: redact(error.message),
  stack: error.stack === undefined ? undefined : redact(error.stack),
  ...(error.cause === undefined ? {} : { cause: plain(error.cause, redact, depth + 1) }),
});

const plainObject = (
  value: Readonly<Record<string, unknown>>,
  redact: (text: string) => string,
  depth: number,
): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(value)
      .slice(0, maxItems)
      .map(([key, item]) => [redact(key), plain(item, redact, depth + 1)]),
  );

const plain = (value: unknown, redact: (text: string) => string, depth: number): unknown => {
  if (typeof value === "string") return redact(value);
  if (typeof value === "bigint" || typeof value === "symbol") return redact(String(value));
  if (typeof value !== "object" || value === null) return value;
  if (depth > maxDepth) return "[nested too deeply]";
  if (value instanceof Error) return plainError(value, redact, depth);
  if (ArrayBuffer.isView(value)) return `[${value.byteLength} bytes]`;
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? null : value.toISOString();
  if (value instanceof URL) return redact(value.href);
  if (value instanceof Map) return plainObject(Object.fromEntries(value), redact, depth);
  if (Array.isArray(value) || value instanceof Set) {
    return [...value].slice(0, maxItems).map((item) => plain(item, redact, depth + 1));
  }
  return plainObject(value as Record<string, unknown>, redact, depth);
};

/**
 * Fields of a log record as JSON can hold them, with every string redacted before it is serialised: a value that JSON
 * has escaped would no longer be recognised (report D-163). Errors keep message, stack and cause chain.
 */
export const plainFields = (
  fields: Readonly<Record<string, unknown>>,
  redact: (text: string) => string,
): Record<string, unknown> => plainObject(fields, redact, 0);
