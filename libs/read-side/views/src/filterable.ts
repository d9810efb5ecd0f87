import type { Json, JsonObject, Metadata, MetadataValue } from '#platform/kernel';

/** What filters compare of a document or memory. */
export interface Filterable {
  readonly metadata: Metadata | null;
  /** Absent or null: it has none. */
  readonly frontMatter?: JsonObject | null;
}

/**
 * Returns the metadata with the values of the front matter: under `frontMatter.` and their names, lists and objects as JSON text.
 * What a caller has sent under such a key stays.
 */
export function filterableMetadata({ metadata, frontMatter }: Filterable): Metadata | null {
  if (!frontMatter) return metadata;
  const named = Object.entries(frontMatter).map(([name, value]) => [`frontMatter.${name}`, comparable(value as Json)]);
  return { ...Object.fromEntries(named), ...metadata };
}

const comparable = (value: Json): MetadataValue => (typeof value === 'object' ? JSON.stringify(value) : value);
