import { spawnSync } from "node:child_process";
import { closeSync, ftruncateSync, mkdirSync, mkdtempSync, openSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A file system of its own for a test, in a temporary folder. */
export interface Mounted {
  readonly folder: string;
  /** Mounts it again after it was taken away, as a machine does that starts after a power cut. */
  readonly mount: () => void;
  readonly unmount: () => void;
  readonly remove: () => void;
}

const attempt = (command: string, args: ReadonlyArray<string>) => spawnSync(command, args, { encoding: "utf8" });

const run = (command: string, args: ReadonlyArray<string>): void => {
  const { status, stderr, error } = attempt(command, args);
  if (error !== undefined || status !== 0)
    throw new Error(`${command} ${args.join(" ")}: ${error?.message ?? stderr ?? status}`);
};

const mounted = (base: string, mountArgs: ReadonlyArray<string>): Mounted => {
  const folder = join(base, "mnt");
  mkdirSync(folder);
  const mount = () => run("mount", [...mountArgs, folder]);
  mount();
  return {
    folder,
    mount,
    unmount: () => run("umount", [folder]),
    remove: () => {
      // Lazily: what still looks into it must not keep a test's file system for ever.
      attempt("umount", ["-l", folder]);
      rmSync(base, { recursive: true, force: true });
    },
  };
};

const temporary = (): string => mkdtempSync(join(tmpdir(), "adk-mount-"));

/** Runs `make`, and takes its folder away again when it fails. */
const guarded = (make: (base: string) => Mounted): Mounted => {
  const base = temporary();
  try {
    return make(base);
  } catch (error) {
    rmSync(base, { recursive: true, force: true });
    throw error;
  }
};

/** A file system in memory with that many bytes. Needs root. */
export const mountMemory = (bytes: number): Mounted =>
  guarded((base) => mounted(base, ["-t", "tmpfs", "-o", `size=${bytes},mode=0700`, "tmpfs"]));

/** An ext4 on a loop device. Needs root, loop devices and mkfs.ext4. */
export const mountExt4 = (megabytes: number): Mounted =>
  guarded((base) => {
    const image = join(base, "image");
    const fd = openSync(image, "wx");
    ftruncateSync(fd, megabytes * 1024 * 1024);
    closeSync(fd);
    run("mkfs.ext4", ["-q", "-F", image]);
    return mounted(base, ["-t", "ext4", "-o", "loop,commit=1", image]);
  });

/** Why such a file system cannot be had here, null when it can. */
export const whyNot = (make: () => Mounted): string | null => {
  if (process.platform !== "linux" || process.getuid?.() !== 0) return "needs root on Linux";
  try {
    make().remove();
    return null;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
};

/** Drops everything that the file system has not written yet, like a power cut: ext4's shutdown without a last flush. */
export const cutPower = ({ folder }: Mounted): void =>
  run("python3", [
    "-c",
    "import fcntl,os,struct,sys\nfcntl.ioctl(os.open(sys.argv[1],os.O_RDONLY),0x8004587d,struct.pack('I',2))",
    folder,
  ]);
