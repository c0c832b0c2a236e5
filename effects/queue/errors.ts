import { failure } from "../../src/errors.ts";

/** The row is under a live claim of someone else (spec 2, "Review claim"). */
export class ClaimHeld extends failure("ClaimHeld", 2)<{
  readonly pr_url: string;
  readonly run_id: string | null;
  readonly since: string | null;
}> {}

/** The caller's claim is not the row's: taken over, released, or never given. Nothing was written. */
export class ClaimLost extends failure("ClaimLost", 2)<{ readonly pr_url: string }> {}

/** At least one of the five eligibility rules that count does not hold. */
export class NotEligible extends failure("NotEligible", 2)<{
  readonly pr_url: string;
  readonly rules: ReadonlyArray<number>;
}> {}

/** ADK_OWNER is set and is not `boot:pid:start`. */
export class OwnerMalformed extends failure("OwnerMalformed", 2) {}
