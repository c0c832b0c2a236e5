const utf8 = new TextDecoder("utf-8", { fatal: true });
const utf16le = new TextDecoder("utf-16le", { fatal: true });
const latin1 = new TextDecoder("windows-1252");

export type Decoded = { readonly text: string } | { readonly skip: string };

const swapBytes = (bytes: Uint8Array): Uint8Array => {
  const out = new Uint8Array(bytes.length - (bytes.length % 2));
  for (let i = 0; i + 1 < bytes.length; i += 2) {
    out[i] = bytes[i + 1] ?? 0;
    out[i + 1] = bytes[i] ?? 0;
  }
  return out;
};

const attempt = (decoder: InstanceType<typeof TextDecoder>, bytes: Uint8Array): string | null => {
  try {
    return decoder.decode(bytes);
  } catch {
    return null;
  }
};

const controlShare = (bytes: Uint8Array): number => {
  let control = 0;
  for (const byte of bytes) {
    if ((byte < 32 && byte !== 9 && byte !== 10 && byte !== 12 && byte !== 13) || byte === 127) control += 1;
  }
  return bytes.length === 0 ? 0 : control / bytes.length;
};

/**
 * Bytes of a file → text with `\n` line ends, or why not: UTF-8 (with or without BOM), UTF-16 with BOM, else Latin-1
 * when nearly free of control characters. A NUL byte anywhere else means binary.
 */
export const decode = (bytes: Uint8Array): Decoded => {
  const text = decodeRaw(bytes);
  if (text === null) return { skip: bytes.includes(0) ? "binary" : "unknown encoding" };
  return { text: text.includes("\r") ? text.replaceAll(/\r\n?/g, "\n") : text };
};

const decodeRaw = (bytes: Uint8Array): string | null => {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return attempt(utf16le, bytes);
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return attempt(utf16le, swapBytes(bytes));
  if (bytes.includes(0)) return null;
  return attempt(utf8, bytes) ?? (controlShare(bytes) < 0.002 ? latin1.decode(bytes) : null);
};
