import { failure } from "../../src/errors.ts";

/** core.yaml cannot be used: unreadable, not YAML, a wrong type, a key twice, over its bounds. */
export class ConfigUnreadable extends failure("ConfigUnreadable", 3)<{
  readonly path: string;
  /** 1-based; null when the fault has no place. */
  readonly line: number | null;
  readonly key: string | null;
}> {}
