import { createRequire } from "node:module";
import { isObject, type Json, type JsonObject, SchemaCompiler } from "./schemas.ts";

/** A request as the fake saw it. */
export interface SeenRequest {
  readonly method: string;
  readonly pathname: string;
  readonly query: ReadonlyMap<string, string>;
  readonly headers: Readonly<Record<string, string>>;
  /** Undefined when there was none. */
  readonly body: Json | undefined;
}

export interface Operation {
  readonly id: string;
  readonly definition: JsonObject;
  readonly parameters: Readonly<Record<string, string>>;
}

interface PathEntry {
  readonly segments: ReadonlyArray<string>;
  readonly definition: JsonObject;
}

/** Statuses that any operation may answer although the description lists them for few; the body is a basic error. */
const generalStatuses: ReadonlySet<number> = new Set([301, 401, 403, 404, 422, 429, 500, 502, 503]);

/**
 * Where GitHub answers otherwise than it describes: `head.repo` of a pull request is null once the fork is deleted,
 * while the description makes it a repository.
 */
const isKnownDeviation = (operation: string, path: string, value: unknown): boolean =>
  operation === "pulls/get" && path === "/head/repo" && value === null;

const apiVersions: ReadonlySet<string> = new Set(["2022-11-28"]);

const object = (value: Json | undefined): JsonObject => (isObject(value) ? value : {});
const list = (value: Json | undefined): ReadonlyArray<Json> => (Array.isArray(value) ? value : []);

/** GitHub's published description of its REST interface, as a judge of requests and answers. */
export class OpenApi {
  readonly #document: JsonObject;
  readonly #paths: ReadonlyArray<PathEntry>;
  readonly #strict: SchemaCompiler;
  readonly #coercing: SchemaCompiler;

  constructor(document: JsonObject) {
    this.#document = document;
    this.#paths = Object.entries(object(document.paths)).map(([path, definition]) => ({
      segments: path.split("/"),
      definition: object(definition),
    }));
    const schemas = object(object(document.components).schemas);
    this.#strict = new SchemaCompiler(schemas, { coerce: false });
    this.#coercing = new SchemaCompiler(schemas, { coerce: true });
  }

  #resolved(value: Json | undefined): JsonObject {
    const given = object(value);
    const ref = given.$ref;
    if (typeof ref !== "string") return given;
    return object(
      ref
        .slice(2)
        .split("/")
        .reduce<Json>((at, key) => object(at)[key] ?? null, this.#document),
    );
  }

  /** The operation that a method and a path mean; literal path segments win over parameters. */
  operation(method: string, pathname: string): Operation | null {
    const given = pathname.split("/");
    let best: { readonly entry: PathEntry; readonly literals: number } | null = null;
    for (const entry of this.#paths) {
      if (entry.segments.length !== given.length || entry.definition[method.toLowerCase()] === undefined) continue;
      const fits = entry.segments.every((part, at) => (part.startsWith("{") ? given[at] !== "" : part === given[at]));
      const literals = entry.segments.filter((part) => !part.startsWith("{")).length;
      if (fits && (best === null || literals > best.literals)) best = { entry, literals };
    }
    if (best === null) return null;
    const definition = object(best.entry.definition[method.toLowerCase()]);
    const parameters: Record<string, string> = {};
    best.entry.segments.forEach((part, at) => {
      if (part.startsWith("{")) parameters[part.slice(1, -1)] = decodeURIComponent(given[at] ?? "");
    });
    return { id: String(definition.operationId), definition, parameters };
  }

  /** What is wrong with a request of a known operation; empty when nothing is. */
  requestProblems(operation: Operation, request: SeenRequest): ReadonlyArray<string> {
    const declared = list(operation.definition.parameters).map((parameter) => this.#resolved(parameter));
    return [
      ...this.#parameterProblems(declared, "path", new Map(Object.entries(operation.parameters))),
      ...this.#parameterProblems(declared, "query", request.query),
      ...headerProblems(request.headers),
      ...this.#bodyProblems(operation, request.body),
    ];
  }

  #parameterProblems(
    declared: ReadonlyArray<JsonObject>,
    place: "path" | "query",
    given: ReadonlyMap<string, string>,
  ): ReadonlyArray<string> {
    const here = declared.filter((parameter) => parameter.in === place);
    const unknown = [...given.keys()].filter((name) => !here.some((parameter) => parameter.name === name));
    const problems = unknown.map((name) => `unknown ${place} parameter ${name}`);
    for (const parameter of here) {
      const name = String(parameter.name);
      const value = given.get(name);
      if (value === undefined) {
        if (parameter.required === true) problems.push(`missing ${place} parameter ${name}`);
      } else if (!this.#coercing.validator({ properties: { value: parameter.schema ?? {} } })({ value })) {
        problems.push(`${place} parameter ${name} is ${JSON.stringify(value)}`);
      }
    }
    return problems;
  }

  #bodyProblems(operation: Operation, body: Json | undefined): ReadonlyArray<string> {
    const described = this.#resolved(operation.definition.requestBody);
    if (Object.keys(described).length === 0) return body === undefined ? [] : ["a body where none is described"];
    if (body === undefined) return described.required === true ? ["missing body"] : [];
    const schema = object(object(described.content)["application/json"]).schema ?? {};
    const validate = this.#strict.validator(schema);
    const problems = validate(body) ? [] : (validate.errors ?? []).map((e) => `body${e.instancePath} ${e.message}`);
    const properties = this.#resolved(schema).properties;
    const unknown = isObject(body) && isObject(properties) ? Object.keys(body).filter((k) => !(k in properties)) : [];
    return [...problems, ...unknown.map((name) => `unknown body field ${name}`)];
  }

  /** What is wrong with an answer of the fake itself; empty when nothing is. */
  answerProblems(operation: Operation, status: number, body: Json | undefined): ReadonlyArray<string> {
    const described = object(operation.definition.responses)[String(status)];
    if (described === undefined && !generalStatuses.has(status)) return [`status ${status} is not described`];
    const content = object(object(this.#resolved(described).content)["application/json"]);
    const schema = described === undefined ? { $ref: "#/components/schemas/basic-error" } : content.schema;
    if (schema === undefined) return body === undefined ? [] : [`a body with status ${status}`];
    const validate = this.#strict.validator(schema);
    if (validate(body)) return [];
    return (validate.errors ?? [])
      .filter((error) => !isKnownDeviation(operation.id, error.instancePath, valueAt(body, error.instancePath)))
      .map((error) => `answer${error.instancePath} ${error.message}`);
  }
}

const valueAt = (body: Json | undefined, pointer: string): unknown =>
  pointer
    .split("/")
    .slice(1)
    .reduce<unknown>((at, key) => (isObject(at) ? at[key] : undefined), body);

/** Rules that GitHub documents in prose: a user agent, its media types, a version that exists. */
const headerProblems = (headers: Readonly<Record<string, string>>): ReadonlyArray<string> => {
  const problems: Array<string> = [];
  if (!headers["user-agent"]) problems.push("missing header user-agent");
  const accept = headers.accept ?? "*/*";
  if (!/^(\*\/\*|application\/(json|vnd\.github[a-z0-9.+-]*))(\s*[,;].*)?$/.test(accept))
    problems.push(`header accept is ${JSON.stringify(accept)}`);
  const version = headers["x-github-api-version"];
  if (version !== undefined && !apiVersions.has(version)) problems.push(`unknown x-github-api-version ${version}`);
  return problems;
};

let loaded: OpenApi | null = null;

/** The description of github.com; one file of the package, because its index reads 400 MB. */
export const githubOpenApi = (): OpenApi => {
  loaded ??= new OpenApi(createRequire(import.meta.url)("@octokit/openapi/generated/api.github.com.json"));
  return loaded;
};
