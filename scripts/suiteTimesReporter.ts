import { relative } from "node:path";
import type { Reporter, TestModule } from "vitest/node";

/** Prints the seconds of every suite and, last, one plain line with the counts. */
export default class SuiteTimesReporter implements Reporter {
  onTestRunEnd(modules: ReadonlyArray<TestModule>): void {
    const counts = { passed: 0, failed: 0, skipped: 0 };
    const retried: Array<string> = [];
    const rows = modules.map((module) => {
      for (const test of module.children.allTests()) {
        const { state } = test.result();
        if (state === "passed" && (test.diagnostic()?.retryCount ?? 0) > 0) retried.push(test.fullName);
        if (state === "passed" || state === "failed" || state === "skipped") counts[state] += 1;
      }
      const seconds = module.diagnostic().duration / 1000;
      return { name: relative(process.cwd(), module.moduleId), seconds };
    });
    rows.sort((a, b) => b.seconds - a.seconds);
    const lines = rows.map((row) => `${row.seconds.toFixed(1).padStart(7)} s  ${row.name}`);
    process.stdout.write(`\nSeconds per suite\n${lines.join("\n")}\n\n`);
    for (const name of retried) process.stdout.write(`passed at its second try only: ${name}\n`);
    process.stdout.write(`${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped\n`);
  }
}
