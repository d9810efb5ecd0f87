import type { UnitKind } from '../../documents.ts';

export const secondTable = (kind: UnitKind): 'chunk_seconds' | 'memory_seconds' =>
  kind === 'chunk' ? 'chunk_seconds' : 'memory_seconds';

/**
 * Entries of documents with the vectors of their second space: the same words as their own entries. `second_spaces` names
 * the space of each document.
 */
export const SECOND_TABLES = `
  CREATE TABLE second_spaces (no INTEGER PRIMARY KEY, space INTEGER NOT NULL) STRICT;
  CREATE INDEX second_spaces_by_space ON second_spaces (space, no);
  CREATE INDEX documents_of_space ON documents (partition, space);
  CREATE TABLE chunk_seconds (no INTEGER PRIMARY KEY, space INTEGER NOT NULL, entry BLOB NOT NULL) STRICT;
  CREATE TABLE memory_seconds (no INTEGER PRIMARY KEY, space INTEGER NOT NULL, entry BLOB NOT NULL) STRICT;
`;
