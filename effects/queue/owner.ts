import * as Either from "effect/Either";
import type { Claim } from "../../src/queue/row.ts";
import { currentIdentity, isAlive, type Liveness } from "../proc/ProcessIdentity.ts";
import { OwnerMalformed } from "./errors.ts";

/** Who a new claim belongs to: a driver process, or (pid null) a person's shell on this machine. */
export type ClaimOwner = Pick<Claim, "host" | "boot" | "pid" | "start">;

/**
 * The owner that a claim of this call is recorded for. `pr-queue claim` itself ends at once, so the owner is the driver
 * that asked for it: `ADK_OWNER=boot:pid:start`, set by a worker. Without it nobody's life can be watched: pid null.
 */
export const claimOwner = (env: NodeJS.ProcessEnv): Either.Either<ClaimOwner, OwnerMalformed> => {
  const { host, boot } = currentIdentity();
  const given = env.ADK_OWNER ?? "";
  if (given === "") return Either.right({ host, boot, pid: null, start: null });
  // The start time of some systems holds colons itself.
  const parts = /^([^:\s]+):([1-9][0-9]{0,9}):(.+)$/s.exec(given);
  const [, ownerBoot, pid, start] = parts ?? [];
  if (ownerBoot === undefined || pid === undefined || start === undefined) {
    return Either.left(
      new OwnerMalformed({
        message: "ADK_OWNER is not boot:pid:start",
        hint: "unset it, or start reviews with: adk worker PR",
      }),
    );
  }
  return Either.right({ host, boot: ownerBoot, pid: Number(pid), start });
};

/**
 * Whether the owner of a claim still lives (spec 2, "Review claim"). Another boot of this machine is death for a
 * person's shell too; apart from that a shell, and any other machine, is `unknown`.
 */
export const ownerAlive = (claim: Claim | null): Liveness => {
  if (claim === null) return "unknown";
  if (claim.pid !== null && claim.start !== null) return isAlive({ ...claim, pid: claim.pid, start: claim.start });
  const self = currentIdentity();
  return claim.host === self.host && claim.boot !== self.boot ? "dead" : "unknown";
};
