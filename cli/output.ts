import { terminalCell } from "../src/text/sanitize.ts";

/** What a call prints and ends with. */
export interface Ending {
  readonly stdout: string;
  readonly stderr: string;
  readonly exitCode: number;
}

/** A failure in words; `message` and `hint` are redacted already. */
export interface ErrorText {
  readonly tag: string;
  readonly message: string;
  readonly hint: string;
  readonly exitCode: number;
}

// What JSON leaves as it is and a terminal would act on or not show: DEL, C1, separators, all that Unicode calls ignorable.
const unsafeInJson = /[\u007f-\u009f\u2028\u2029\ufff9-\ufffb\p{Default_Ignorable_Code_Point}]/gu;

const escapeUnits = (text: string): string =>
  Array.from({ length: text.length }, (_, index) => `\\u${text.charCodeAt(index).toString(16).padStart(4, "0")}`).join(
    "",
  );

/**
 * One JSON document and a newline: on one line for programs, indented for a person at a terminal. The data is whole,
 * but nothing in it can steer a terminal.
 */
export const jsonDocument = (value: unknown): string =>
  `${JSON.stringify(value, null, process.stdout.isTTY ? 2 : 0).replaceAll(unsafeInJson, escapeUnits)}\n`;

/** The ending of a call that failed: one line on stderr, and with `--json` the one document on stdout. */
export const failedEnding = (error: ErrorText, json: boolean): Ending => ({
  stdout: json ? jsonDocument({ error: { tag: error.tag, message: error.message, hint: error.hint } }) : "",
  stderr: `error: ${terminalCell(error.message)} — ${terminalCell(error.hint)}\n`,
  exitCode: error.exitCode,
});

/** The error of a write that failed, null when all bytes have left the process. */
const writeFlushed = (stream: NodeJS.WriteStream, text: string): Promise<NodeJS.ErrnoException | null> =>
  new Promise((resolve) => {
    if (text === "" || !stream.writable) resolve(null);
    else stream.write(text, (error) => resolve(error ?? null));
  });

/** Keeps a closed stdout or stderr from ending the process with a stack trace: whoever read `| head` has what they wanted. */
export const ignoreClosedPipes = (): void => {
  for (const stream of [process.stdout, process.stderr]) stream.on("error", () => undefined);
};

/**
 * Prints an ending, waits until the bytes have left the process, and exits. An expired wait elsewhere keeps nothing
 * alive. A result that could not be printed is a failure (exit 1), whatever the verb did: its reader knows nothing of
 * it. Only a reader that went away (EPIPE) has had what it wanted.
 */
export const finish = async (ending: Ending): Promise<never> => {
  await writeFlushed(process.stderr, ending.stderr);
  const lost = await writeFlushed(process.stdout, ending.stdout);
  if (lost === null || lost.code === "EPIPE") return process.exit(ending.exitCode);
  const hint = "what the verb did stands; make room and look with: adk pr-queue list";
  await writeFlushed(
    process.stderr,
    `error: the result could not be printed: ${terminalCell(lost.message)} — ${hint}\n`,
  );
  return process.exit(ending.exitCode === 0 ? 1 : ending.exitCode);
};
