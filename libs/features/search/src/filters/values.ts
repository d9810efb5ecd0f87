import type { MetadataValue } from '#platform/kernel';

/** Returns the text that `metadata` and `string_contains` compare; for a list, its JSON. */
export function textForm(value: MetadataValue | readonly string[]): string {
  return (typeof value === 'object' ? JSON.stringify(value) : String(value)).toWellFormed();
}

/** Returns the element texts of a list, or of a string that is a JSON array of scalars; null for a scalar. */
export function elementsOf(value: MetadataValue | readonly string[]): readonly string[] | null {
  const list = typeof value === 'string' ? listIn(value) : value;
  return typeof list === 'object' && list !== null ? list.map(textForm) : null;
}

function listIn(text: string): readonly MetadataValue[] | null {
  if (!text.trimStart().startsWith('[')) return null;
  try {
    const parsed: unknown = JSON.parse(text);
    return Array.isArray(parsed) && parsed.every(isScalar) ? parsed : null;
  } catch {
    return null;
  }
}

const isScalar = (value: unknown): value is MetadataValue =>
  typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
