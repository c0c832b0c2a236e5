/** A number with its noun: `1 row`, `3 rows`; `many` where adding an s is not enough. */
export const counted = (count: number, one: string, many = `${one}s`): string => `${count} ${count === 1 ? one : many}`;
