import type { UnitKind } from '../../documents.ts';

export const secondTable = (kind: UnitKind): 'chunk_seconds' | 'memory_seconds' =>
  kind === 'chunk' ? 'chunk_seconds' : 'memory_seconds';

/**
 * Entries of documents with the vectors of their second space: the same words as their own entries. `second_spaces` names
 * the space of each document. Views of earlier versions get the tables, and the index by own space, when they are opened.
 */
export const SECOND_TABLES = `
  CREATE TABLE IF NOT EXISTS second_spaces (no INTEGER PRIMARY KEY, space INTEGER NOT NULL) STRICT;
  CREATE INDEX IF NOT EXISTS second_spaces_by_space ON second_spaces (space, no);
  CREATE INDEX IF NOT EXISTS documents_of_space ON documents (partition, space);
  CREATE TABLE IF NOT EXISTS chunk_seconds (no INTEGER PRIMARY KEY, space INTEGER NOT NULL, entry BLOB NOT NULL) STRICT;
  CREATE TABLE IF NOT EXISTS memory_seconds (no INTEGER PRIMARY KEY, space INTEGER NOT NULL, entry BLOB NOT NULL) STRICT;
`;
