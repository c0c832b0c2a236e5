/** Text of unknown origin inside a message: quoted, at most 100 characters, everything but printable ASCII escaped. */
export const quoted = (text: string): string => {
  const short = text.length > 100 ? `${text.slice(0, 99)}…` : text;
  const escaped = JSON.stringify(short).replaceAll(
    /[^\x20-\x7e…]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
  return escaped;
};
