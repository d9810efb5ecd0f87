import { fieldSchemas, type InputClass } from '#platform/input';
import type { JsonObject } from '#platform/kernel';

/** The schema of an object, as tools need it. */
export type ObjectSchema = JsonObject & { readonly type: 'object' };

/** What each argument is, for the model that calls. */
export type About<Input> = Readonly<Record<keyof Input, string>>;

/** Returns the schema of arguments: the rules of their class, with a description of each. */
export function argumentsSchema<Input extends object>(type: InputClass<Input>, about: About<Input>): ObjectSchema {
  const fields = fieldSchemas(type, (nested) => {
    throw new Error(`${nested.name}: arguments are plain values`);
  });
  const required = fields.filter(({ isRequired }) => isRequired).map(({ name }) => name);
  return {
    type: 'object',
    properties: Object.fromEntries(
      fields.map(({ name, schema }) => [name, { ...schema, description: about[name as keyof Input] }]),
    ),
    ...(required.length > 0 && { required }),
    additionalProperties: false,
  };
}

export const TEXT: JsonObject = { type: 'string' };
export const TEXT_OR_NULL: JsonObject = { type: ['string', 'null'] };
export const COUNT: JsonObject = { type: 'integer', minimum: 0 };
export const FLAG: JsonObject = { type: 'boolean' };
export const SCORE: JsonObject = { type: 'number', minimum: 0, maximum: 1 };
export const TIME: JsonObject = { type: 'string', format: 'date-time' };

export const oneOf = (...values: readonly string[]): JsonObject => ({ type: 'string', enum: values });
export const listOf = (items: JsonObject): JsonObject => ({ type: 'array', items });

/** Of a document, in the plain words of the API. */
export const STATUS = oneOf('queued', 'processing', 'done', 'failed');

/** @param optional the properties that may be absent */
export const objectOf = (
  properties: Readonly<Record<string, JsonObject>>,
  optional: readonly string[] = [],
): ObjectSchema => ({
  type: 'object',
  properties,
  required: Object.keys(properties).filter((name) => !optional.includes(name)),
  additionalProperties: false,
});

export const PAGINATION = objectOf({ currentPage: COUNT, totalPages: COUNT, totalItems: COUNT, limit: COUNT });
