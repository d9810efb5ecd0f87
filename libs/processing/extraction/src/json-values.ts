import type { Json, JsonObject } from '#platform/kernel';

export const isObject = (value: Json | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The value of a key as an object; an empty one if it has another type. */
export const objectAt = (value: Json | undefined, key: string): JsonObject => {
  const found = isObject(value) ? value[key] : undefined;
  return isObject(found) ? found : {};
};

/** The value of a key as a list; an empty one if it has another type. */
export const listAt = (value: Json | undefined, key: string): readonly Json[] => {
  const found = isObject(value) ? value[key] : undefined;
  return Array.isArray(found) ? found : [];
};

/** The words at the first of the keys that has some. Null: none has. */
export function textAt(value: Json | undefined, ...keys: readonly string[]): string | null {
  if (!isObject(value)) return null;
  for (const key of keys) {
    const text = value[key];
    if (typeof text === 'string' && text.trim() !== '') return text;
  }
  return null;
}
