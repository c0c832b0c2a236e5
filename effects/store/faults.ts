/**
 * The one fault hook of the store: `ADK_FAULT="point:n:kind"` makes the n-th hit of that point fail (spec 9, "Fault
 * injection"). Points are the names in fileOps.ts; `*` counts every file operation. Inert unless NODE_ENV is `test`.
 */
export const faultKinds = ["kill", "ENOSPC", "EIO", "EDQUOT", "short"] as const;
export type FaultKind = (typeof faultKinds)[number];

let armed: { readonly text: string; readonly point: string; readonly n: number; readonly kind: FaultKind } | null =
  null;
let hits = 0;

const arm = (text: string): typeof armed => {
  const [point = "", n = "", kind = ""] = text.split(":");
  const known = faultKinds.find((name) => name === kind);
  return known === undefined || !/^[1-9]\d*$/.test(n) ? null : { text, point, n: Number(n), kind: known };
};

/**
 * Counts one hit of a point. Throws the system error asked for, ends the process by SIGKILL, or returns `short` when
 * the operation, a write, is to write only a part.
 */
export const hit = (point: string, path: string): "short" | null => {
  const text = process.env.ADK_FAULT;
  if (text === undefined || process.env.NODE_ENV !== "test") return null;
  if (armed?.text !== text) {
    armed = arm(text);
    hits = 0;
  }
  if (armed === null || (armed.point !== "*" && armed.point !== point)) return null;
  hits += 1;
  if (hits !== armed.n) return null;
  if (armed.kind === "short") return "short";
  if (armed.kind === "kill") process.kill(process.pid, "SIGKILL");
  throw Object.assign(new Error(`${armed.kind}: injected, ${point} '${path}'`), {
    code: armed.kind,
    syscall: point,
    path,
  });
};

/** Hits since the current value of ADK_FAULT was first seen; how a test learns where the last operation was. */
export const faultHits = (): number => hits;

/** Starts counting anew, for a test that arms the same fault twice. */
export const resetFaults = (): void => {
  armed = null;
  hits = 0;
};
