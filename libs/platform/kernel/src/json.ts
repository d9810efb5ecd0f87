export type Json = string | number | boolean | null | readonly Json[] | JsonObject;

export interface JsonObject {
  readonly [key: string]: Json | undefined;
}

export type MetadataValue = string | number | boolean;

/** What a caller attaches to a document (flat, scalars only) or to a memory (lists of strings as well). */
export type Metadata = Readonly<Record<string, MetadataValue | readonly string[]>>;
