import type { JsonObject } from '#platform/kernel';

export const referenceTo = (name: string): JsonObject => ({ $ref: `#/components/schemas/${name}` });

/** @throws Error if a part of the API has no description */
export function withDescription(schema: JsonObject, description: string | null, place: string): JsonObject {
  if (description !== null) return { ...schema, description };
  // A reference has the description of its schema.
  if (schema.description === undefined && schema.$ref === undefined) throw new Error(`${place} has no doc comment.`);
  return schema;
}
