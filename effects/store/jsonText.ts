import * as Effect from "effect/Effect";
import * as Either from "effect/Either";

/** Why a text is no JSON, nor JSON5; lines and columns count from one. */
export interface JsonFault {
  readonly message: string;
  readonly line: number | null;
  readonly column: number | null;
  readonly near: string | null;
}

const field = (error: object, name: string): number | null => {
  const value: unknown = Reflect.get(error, name);
  return typeof value === "number" ? value : null;
};

const faultOf = (error: unknown, text: string): JsonFault => {
  if (text.trim() === "") return { message: "the file is empty", line: null, column: null, near: null };
  if (!(error instanceof SyntaxError)) return { message: String(error), line: null, column: null, near: null };
  const line = field(error, "lineNumber");
  return {
    message: error.message.replace(/^JSON5: /, "").replace(/ at \d+:\d+$/, ""),
    line,
    column: field(error, "columnNumber"),
    near: line === null ? null : (text.split(/\r\n|[\n\r]/)[line - 1]?.trim() ?? null),
  };
};

/** Parses JSON; what is not JSON is parsed as JSON5, whose parser is loaded only then. */
export const parseJsonText = (bytes: Buffer): Effect.Effect<Either.Either<unknown, JsonFault>> =>
  Effect.suspend(() => {
    const text = bytes.toString("utf8");
    const json = Either.try((): unknown => JSON.parse(text));
    if (Either.isRight(json)) return Effect.succeed(Either.right(json.right));
    return Effect.map(
      Effect.promise(() => import("json5")),
      ({ default: JSON5 }) =>
        Either.try({ try: (): unknown => JSON5.parse(text), catch: (error) => faultOf(error, text) }),
    );
  });
