/**
 * Writes and waits until the bytes have left the process, so that exiting cuts nothing off, in a pipe either.
 * A reader that went away (EPIPE) is no error: whoever read `| head` has what they wanted.
 */
export const writeFlushed = (stream: NodeJS.WriteStream, text: string): Promise<void> =>
  new Promise((resolve) => {
    if (text === "" || stream.destroyed || !stream.writable) return resolve();
    stream.write(text, () => resolve());
  });

/** Keeps a closed stdout or stderr from ending the process with a stack trace. */
export const ignoreClosedPipes = (): void => {
  for (const stream of [process.stdout, process.stderr]) stream.on("error", () => undefined);
};

/** The one document of `--json` when a call fails. */
export const errorDocument = (error: {
  readonly tag: string;
  readonly message: string;
  readonly hint: string;
}): string => `${JSON.stringify({ error })}\n`;
