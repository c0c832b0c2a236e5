import { describe, expect, it } from "vitest";
import { serviceAddress, withoutTrailingSlash } from "../../../src/network/serviceAddress.ts";

describe("the address of a service", () => {
  it.each([
    ["https://ghe.acme.example/api/v3/", "https://ghe.acme.example/api/v3"],
    ["https://slack.com/api///", "https://slack.com/api"],
    ["http://127.0.0.1:8080", "http://127.0.0.1:8080"],
    ["http://localhost:1/", "http://localhost:1"],
    ["http://[::1]:1/2.0", "http://[::1]:1/2.0"],
  ])("%s may get a token", (text, address) => {
    const url = serviceAddress(text);
    expect(url === null ? null : withoutTrailingSlash(url)).toBe(address);
  });

  it.each([
    "http://ghe.acme.example/",
    "http://127.0.0.1.evil.invalid/",
    "https://user:word@ghe.acme.example/",
    "file:///etc/passwd",
    "ftp://127.0.0.1/",
    "not an address",
  ])("%s may not", (text) => {
    expect(serviceAddress(text)).toBeNull();
  });
});
