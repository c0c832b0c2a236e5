import * as ParseResult from "effect/ParseResult";

/** What is wrong with an answer that is no pull request, to complete "… answered with …": the first field that does not fit. */
export const pullProblem = (error: ParseResult.ParseError): string => {
  const [issue] = ParseResult.ArrayFormatter.formatErrorSync(error);
  const field = issue === undefined || issue.path.length === 0 ? "the answer" : issue.path.map(String).join(".");
  return `a pull request whose field ${field} is missing or of the wrong kind`;
};
