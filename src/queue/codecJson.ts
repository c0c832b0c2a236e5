import { isForbiddenKey } from "./comments.ts";

/** Equal as JSON: a field that is undefined is an absent one. A key that must not be there makes them unequal. */
export const sameJson = (a: unknown, b: unknown): boolean => {
  if (a === b) return true;
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return false;
  if (Array.isArray(a) !== Array.isArray(b)) return false;
  const keys = Object.keys(a).filter((key) => Reflect.get(a, key) !== undefined);
  return (
    keys.length === Object.keys(b).length &&
    keys.every(
      (key) => !isForbiddenKey(key) && Object.hasOwn(b, key) && sameJson(Reflect.get(a, key), Reflect.get(b, key)),
    )
  );
};
