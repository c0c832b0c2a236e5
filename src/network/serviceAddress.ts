const isLoopback = (hostname: string): boolean => /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/.test(hostname);

/**
 * An address that a variable like GITHUB_API_URL gives, if a token may be sent there: https, or this machine's own;
 * without user information (threat T7). Null for any other.
 */
export const serviceAddress = (text: string): URL | null => {
  if (!URL.canParse(text)) return null;
  const url = new URL(text);
  const allowed = url.protocol === "https:" || (url.protocol === "http:" && isLoopback(url.hostname));
  return allowed && url.username === "" && url.password === "" ? url : null;
};

/** Origin and path of an address without the slashes at its end. */
export const withoutTrailingSlash = (url: URL): string => `${url.origin}${url.pathname.replace(/(?<!\/)\/+$/, "")}`;
