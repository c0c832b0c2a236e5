/** A read or write that the verbose log names (spec 2, "Logs"): over 1 MB. */
export interface LargeFileUse {
  readonly action: "read" | "write";
  readonly path: string;
  readonly bytes: number;
}

const largeBytes = 1_000_000;

let observer: ((use: LargeFileUse) => void) | null = null;

/**
 * Sets who hears of large reads and writes, null for nobody. Process-wide, because file operations are synchronous and
 * below every service; the log of the one call that this process runs is the only observer there is.
 */
export const observeLargeFiles = (next: ((use: LargeFileUse) => void) | null): void => {
  observer = next;
};

/** Called by the code that reads and writes files; cheap when the file is small or nobody listens. */
export const reportFileUse = (use: LargeFileUse): void => {
  if (use.bytes > largeBytes) observer?.(use);
};
