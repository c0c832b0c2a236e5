import { describe, expect, it } from "vitest";
import { rowFault } from "../../../src/queue/queueSchema.ts";
import { newRow } from "../../../src/queue/row.ts";

const row = newRow({
  platform: "github",
  host: "github.com",
  owner: "acme",
  repo: "shop",
  pr_number: 1,
  pr_url: "https://github.com/acme/shop/pull/1",
});
const claim = { run_id: "r", token_hash: "t", epoch: 1, host: "h", boot: "b", pid: null, start: null };

describe("rowFault", () => {
  it("finds none in a claim with the machine's running time, nor in one of an older program without it", () => {
    expect(rowFault({ ...row, claim })).toBeNull();
    expect(rowFault({ ...row, claim: { ...claim, beat: { host: "h", boot: "b", uptime_s: 60 } } })).toBeNull();
  });

  it("names a running time that is none", () => {
    for (const uptime_s of [-1, 1.5, "60", null]) {
      const fault = rowFault({ ...row, claim: { ...claim, beat: { host: "h", boot: "b", uptime_s } } });
      expect(fault?.field, String(uptime_s)).toBe("claim.beat.uptime_s");
    }
  });
});
