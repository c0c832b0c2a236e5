/** Splits the NUL-terminated output of a `-z` listing; the last terminator makes no empty token. */
export const nulTokens = (output: Buffer): ReadonlyArray<string> => {
  if (output.length === 0) return [];
  const text = output.toString("utf8");
  return (text.endsWith("\0") ? text.slice(0, -1) : text).split("\0");
};

const objectName = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/;

/** True for a full object name, SHA-1 or SHA-256, lower case. */
export const isObjectName = (text: string): boolean => objectName.test(text);

/** True for the all-zero name that git prints for "nothing on this side". */
export const isNullObject = (oid: string): boolean => /^0+$/.test(oid);
