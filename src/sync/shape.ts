/** A test of an untrusted JSON value; small enough for readers that must not load a schema library. */
export type Check = (value: unknown) => boolean;

export const isText: Check = (value) => typeof value === "string";
export const isInteger: Check = (value) => Number.isSafeInteger(value);
export const isNumber: Check = (value) => typeof value === "number" && Number.isFinite(value);

export const oneOf =
  (...allowed: ReadonlyArray<unknown>): Check =>
  (value) =>
    allowed.includes(value);

export const orNull =
  (check: Check): Check =>
  (value) =>
    value === null || check(value);

export const listOf =
  (check: Check): Check =>
  (value) =>
    Array.isArray(value) && value.every(check);

/** An object that has at least these fields; further ones are allowed. */
export const shaped =
  (fields: Readonly<Record<string, Check>>): Check =>
  (value) =>
    typeof value === "object" &&
    value !== null &&
    !Array.isArray(value) &&
    Object.entries(fields).every(
      ([name, check]) => Object.hasOwn(value, name) && check((value as Readonly<Record<string, unknown>>)[name]),
    );
