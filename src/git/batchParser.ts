/** One answer of `git cat-file --batch`. Content is null when it was larger than the cap and dropped while streaming. */
export type BatchAnswer =
  | {
      readonly kind: "object";
      readonly oid: string;
      readonly type: string;
      readonly size: number;
      readonly content: Buffer | null;
    }
  | { readonly kind: "missing"; readonly name: string }
  | { readonly kind: "unknown"; readonly line: string };

const header = /^([0-9a-f]{40}|[0-9a-f]{64}) (\w+) (\d+)$/;
const missing = /^(.+) (?:missing|ambiguous)$/;
// A header is an object name, a type and a size; a longer line is no header.
const maxHeader = 4096;

interface Body {
  readonly oid: string;
  readonly type: string;
  readonly size: number;
  readonly content: Buffer | null;
  filled: number;
}

/**
 * Reads the answers of one `git cat-file --batch` from its output in pieces of any size. A missing object answers with
 * a line without size or body, which must not be read as a header. After an `unknown` answer nothing more can be read.
 */
export class BatchParser {
  readonly #maxBytes: number;
  #line: Buffer = Buffer.alloc(0);
  #body: Body | null = null;

  /** `maxBytes`: largest content that is kept. */
  constructor(options: { readonly maxBytes: number }) {
    this.#maxBytes = options.maxBytes;
  }

  /** Takes the next piece of output and returns the answers that it completes, in order. */
  push(chunk: Buffer): ReadonlyArray<BatchAnswer> {
    const answers: BatchAnswer[] = [];
    for (let at = 0; at < chunk.length; )
      at = this.#body === null ? this.#head(chunk, at, answers) : this.#fill(chunk, at, answers);
    return answers;
  }

  #head(chunk: Buffer, at: number, answers: BatchAnswer[]): number {
    const end = chunk.indexOf(0x0a, at);
    const piece = chunk.subarray(at, end < 0 ? chunk.length : end);
    this.#line = this.#line.length === 0 ? piece : Buffer.concat([this.#line, piece]);
    if (end < 0 && this.#line.length <= maxHeader) {
      this.#line = Buffer.from(this.#line);
      return chunk.length;
    }
    const line = this.#line.subarray(0, maxHeader).toString("utf8");
    this.#line = Buffer.alloc(0);
    const [, oid, type, size] = header.exec(line) ?? [];
    if (oid !== undefined && type !== undefined && size !== undefined) {
      const bytes = Number(size);
      const content = bytes <= this.#maxBytes ? Buffer.allocUnsafe(bytes) : null;
      this.#body = { oid, type, size: bytes, content, filled: 0 };
      return end + 1;
    }
    const name = missing.exec(line)?.[1];
    answers.push(name === undefined ? { kind: "unknown", line } : { kind: "missing", name });
    return end < 0 || name === undefined ? chunk.length : end + 1;
  }

  #fill(chunk: Buffer, at: number, answers: BatchAnswer[]): number {
    const body = this.#body;
    if (body === null) return at;
    const take = Math.min(body.size - body.filled, chunk.length - at);
    if (take > 0) {
      if (body.content !== null) chunk.copy(body.content, body.filled, at, at + take);
      body.filled += take;
      return at + take;
    }
    // The line feed behind the content ends the record.
    this.#body = null;
    const { oid, type, size, content } = body;
    answers.push(chunk[at] === 0x0a ? { kind: "object", oid, type, size, content } : { kind: "unknown", line: oid });
    return at + 1;
  }
}
