import { Ajv, type ValidateFunction } from "ajv";
import addFormatsModule from "ajv-formats";

export type Json = null | boolean | number | string | ReadonlyArray<Json> | { readonly [key: string]: Json };
export type JsonObject = { readonly [key: string]: Json };

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const refPrefix = "#/components/schemas/";

/** OpenAPI 3.0's `nullable` in the words of JSON Schema, at every depth. */
const withoutNullable = (schema: Json): Json => {
  if (Array.isArray(schema)) return schema.map(withoutNullable);
  if (!isObject(schema)) return schema;
  const entries = Object.entries(schema).filter(([key]) => key !== "example" && key !== "examples");
  const plain = Object.fromEntries(entries.map(([key, value]) => [key, withoutNullable(value)]));
  if (plain.nullable !== true) return plain;
  const { nullable: _, ...rest } = plain;
  return { anyOf: [{ type: "null" }, rest] };
};

const collectRefs = (schema: Json, found: Set<string>): void => {
  if (Array.isArray(schema)) for (const item of schema) collectRefs(item, found);
  if (!isObject(schema)) return;
  for (const [key, value] of Object.entries(schema)) {
    if (key === "$ref" && typeof value === "string") found.add(value.slice(refPrefix.length));
    else collectRefs(value, found);
  }
};

/** Compiles schemas of one OpenAPI document, each with just the component schemas that it reaches. */
export class SchemaCompiler {
  readonly #components: JsonObject;
  readonly #compiled = new Map<Json, ValidateFunction>();
  readonly #ajv: Ajv;

  constructor(components: JsonObject, options: { readonly coerce: boolean }) {
    this.#components = components;
    this.#ajv = new Ajv({ strict: false, logger: false, allErrors: true, coerceTypes: options.coerce });
    addFormatsModule.default(this.#ajv);
  }

  validator(schema: Json): ValidateFunction {
    const known = this.#compiled.get(schema);
    if (known !== undefined) return known;
    const reached = new Set<string>();
    collectRefs(schema, reached);
    const schemas: Record<string, Json> = {};
    // A Set keeps growing while it is walked, so this reaches everything.
    for (const name of reached) {
      const component = withoutNullable(this.#components[name] ?? false);
      collectRefs(component, reached);
      schemas[name] = component;
    }
    const validate = this.#ajv.compile({ allOf: [withoutNullable(schema)], components: { schemas } });
    this.#compiled.set(schema, validate);
    return validate;
  }
}
