import type { JsonObject } from '#platform/kernel';

export const referenceTo = (name: string): JsonObject => ({ $ref: `#/components/schemas/${name}` });

/** Returns the schema of a value of this schema or null. */
export function orNull(schema: JsonObject): JsonObject {
  // Any value.
  if (Object.keys(schema).length === 0) return schema;
  if (typeof schema.type !== 'string') return { oneOf: [schema, { type: 'null' }] };
  const choices = Array.isArray(schema.enum) ? { enum: [...schema.enum, null] } : {};
  return { ...schema, type: [schema.type, 'null'], ...choices };
}

/** @throws Error if a part of the API has no description */
export function withDescription(schema: JsonObject, description: string | null, place: string): JsonObject {
  if (description !== null) return { ...schema, description };
  // A reference has the description of its schema.
  if (schema.description === undefined && schema.$ref === undefined) throw new Error(`${place} has no doc comment.`);
  return schema;
}
