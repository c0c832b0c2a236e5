import * as Effect from "effect/Effect";
import { agentsCheck } from "./agentsCheck.ts";
import { bitbucketCheck } from "./bitbucketCheck.ts";
import { dataChecks, ofFailure } from "./dataChecks.ts";
import { type Check, type DoctorInput, type Finding, warn } from "./finding.ts";
import { limitsCheck } from "./limitsCheck.ts";
import { logsCheck } from "./logsCheck.ts";
import { machineChecks } from "./machineChecks.ts";
import { networkChecks } from "./networkChecks.ts";
import { permissionsCheck } from "./permissions.ts";
import { slackCheck } from "./slackCheck.ts";

/** Longest time of one check, in milliseconds; the slowest decides how long `adk doctor` takes. */
const limitMs = 2_600;

const allChecks: ReadonlyArray<Check> = [
  ...machineChecks,
  permissionsCheck,
  ...dataChecks,
  logsCheck,
  ...networkChecks,
  bitbucketCheck,
  slackCheck,
  limitsCheck,
  agentsCheck,
];

/** The document of `adk doctor --json` (spec 3). */
export interface DoctorReport {
  readonly checks: ReadonlyArray<Finding>;
  readonly pass: number;
  readonly warn: number;
  readonly fail: number;
}

const runCheck = (check: Check, input: DoctorInput): Effect.Effect<ReadonlyArray<Finding>> =>
  check.run(input).pipe(
    Effect.catchAll((failure) => Effect.succeed([ofFailure(check.name, failure)])),
    Effect.timeoutTo({
      duration: limitMs,
      onSuccess: (findings) => findings,
      onTimeout: (): ReadonlyArray<Finding> => [
        warn(check.name, `no result within ${limitMs / 1000} s`, "run adk doctor again when the machine is less busy"),
      ],
    }),
  );

/** Runs all checks at the same time; findings come in the order of the checks. With `fix`, mends what it can. */
export const runDoctor = (input: DoctorInput, checks: ReadonlyArray<Check> = allChecks): Effect.Effect<DoctorReport> =>
  Effect.map(
    Effect.forEach(checks, (check) => runCheck(check, input), { concurrency: "unbounded" }),
    (found) => {
      const findings = found.flat().map((finding) => ({ ...finding, detail: input.log.redact(finding.detail) }));
      const number = (status: Finding["status"]) => findings.filter((finding) => finding.status === status).length;
      return { checks: findings, pass: number("pass"), warn: number("warn"), fail: number("fail") };
    },
  );
