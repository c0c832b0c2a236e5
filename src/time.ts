/** A moment as adk writes it everywhere: `YYYY-MM-DDTHH:MM:SSZ`, UTC, whole seconds (spec 2, "Queue row"). */
export type IsoTime = string;

/** `ms` since the epoch → `YYYY-MM-DDTHH:MM:SSZ`. */
export const formatTime = (ms: number): IsoTime => `${new Date(ms).toISOString().slice(0, 19)}Z`;

const shape = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d{1,9})?(?:Z|[+-]\d{2}:\d{2})$/;

/** Milliseconds since the epoch, or null for anything that is not a time with a zone (a naive time is not a time). */
export const parseTime = (text: unknown): number | null => {
  if (typeof text !== "string" || !shape.test(text)) return null;
  const ms = Date.parse(text);
  return Number.isNaN(ms) ? null : ms;
};

/** File-name form of a moment: `YYYYMMDDTHHMMSSZ`. */
export const fileTime = (ms: number): string => formatTime(ms).replaceAll(/[-:]/g, "");
