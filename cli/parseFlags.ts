import type { Flags } from "./verb.ts";

/** Getters over checked option tokens, in the order they were given. */
export const makeFlags = (
  options: ReadonlyArray<{ readonly name: string; readonly value?: string | undefined }>,
): Flags => {
  const given = (name: string) => options.filter((option) => option.name === name);
  const flag = (name: string) => given(name).at(-1)?.value;
  const number = (name: string) => {
    const text = flag(name);
    return text === undefined ? undefined : Number(text);
  };
  return {
    flag,
    bool: (name) => given(name).length > 0,
    int: number,
    num: number,
    list: (name) => given(name).flatMap((option) => option.value ?? []),
  };
};
