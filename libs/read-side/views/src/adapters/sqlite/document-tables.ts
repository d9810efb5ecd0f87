import type { ModelTables } from './model-tables.ts';
import { SECOND_TABLES } from './second-tables.ts';

/** Files of entries have the same tables: between them and the views SQLite copies rows as they are. */
export const ENTRY_TABLES = `
  CREATE TABLE chunk_entries (no INTEGER PRIMARY KEY, space INTEGER NOT NULL, entry BLOB NOT NULL) STRICT;
  CREATE TABLE memory_entries (no INTEGER PRIMARY KEY, space INTEGER NOT NULL, entry BLOB NOT NULL) STRICT;
`;

/** By which rules the words of documents are analysed, those of English apart. */
const LANGUAGE_TABLE = `
  CREATE TABLE document_languages (
    no INTEGER PRIMARY KEY,
    partition INTEGER NOT NULL,
    language TEXT NOT NULL
  ) STRICT;
  CREATE INDEX document_languages_of_partition ON document_languages (partition, language);
`;

/**
 * Tables of the read model `documents`: documents, their units and the index entries that a search scans. Numbers of
 * documents: see numbers.ts. Strings of callers: see text.ts.
 *
 * - `partitions`: the exact tag sets. Memories that were recorded directly have their own (`direct` is 1), and so have memories
 *   that callers have touched (2), pieces (3), earlier versions of memories (4, of touched ones 5) and units that have left
 *   their documents (6), so that searches and lists without them cost nothing more.
 *   The counters are sums over the documents of the partition; `changed` is the newest
 *   change in `entry_log` that concerns it. AUTOINCREMENT, because a number that is given out twice would meet resident
 *   entries of the partition that had it before.
 * - `documents.row`: the row as JSON without its metadata and front matter, which are in `documents.metadata`; the columns beside it repeat what is searched and sorted by.
 *   `sent` is a number that follows from the field of this name and the minute of the creation, see sent.ts.
 *   The three list indexes hold all that a page and a total need. The one by space finds documents to embed again after
 *   a change of the model. `is_summarized` is 1 if the row says so, `inactive_from`,
 *   `expires_at`, `text_hash` and `is_static` (1 or null) are those of the row's memory. `inactive_from` of a piece is its
 *   end; `active_from` and `part_of` (id of the document) are its own. An earlier version was there from `active_from` until
 *   `replaced_at`, and its `inactive_from` is that of its memory. `valid_from` and `valid_until`: see `validityOf`; of units that
 *   have left a document, the times of a question for which they are shown.
 * - `units.text_key`: number that follows from the text, see text-keys.ts.
 * - `repeats`: memories that may say what others say, see repeats.ts.
 * - `left_units`: units that searches leave out from a moment on.
 * - `former_tags`: tags that rows had, each from `since` until `until`; the present ones are those of their partitions.
 * - `metadata`: what filters compare with, made by `metadataRows`. `folded` is null where folding changes nothing. `fact`
 *   and `folded_fact` are what equality is looked up by, see facts.ts.
 * - `chunk_entries`, `memory_entries`: what a search scans, one row per document.
 * - `entry_log`: which documents' entries changed, in order, without what they were; only its newest part is kept.
 */
export const DOCUMENT_TABLES: ModelTables = {
  name: 'documents',
  version: 13,
  tables: [
    ...['partitions', 'partition_tags', 'spaces', 'documents', 'metadata', 'units', 'repeats', 'left_units'],
    'former_tags',
    ...['chunk_entries', 'memory_entries', 'entry_log', 'document_languages'],
    ...['second_spaces', 'chunk_seconds', 'memory_seconds'],
  ],
  create: `
  CREATE TABLE partitions (
    no INTEGER PRIMARY KEY AUTOINCREMENT,
    organization TEXT NOT NULL,
    tags TEXT NOT NULL,
    direct INTEGER NOT NULL,
    documents INTEGER NOT NULL DEFAULT 0,
    chunk_entries INTEGER NOT NULL DEFAULT 0,
    chunk_bytes INTEGER NOT NULL DEFAULT 0,
    memory_entries INTEGER NOT NULL DEFAULT 0,
    memory_bytes INTEGER NOT NULL DEFAULT 0,
    memories INTEGER NOT NULL DEFAULT 0,
    stored_bytes INTEGER NOT NULL DEFAULT 0,
    changed INTEGER NOT NULL DEFAULT 0
  ) STRICT;
  CREATE INDEX partitions_by_tags ON partitions (organization, tags, direct);
  CREATE TABLE partition_tags (
    organization TEXT NOT NULL,
    tag TEXT NOT NULL,
    partition INTEGER NOT NULL,
    PRIMARY KEY (organization, tag, partition)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE spaces (no INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE) STRICT;

  CREATE TABLE documents (
    no INTEGER PRIMARY KEY,
    partition INTEGER NOT NULL,
    organization TEXT NOT NULL,
    id TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    stage INTEGER NOT NULL,
    space INTEGER NOT NULL,
    is_summarized INTEGER NOT NULL,
    custom_id TEXT,
    source TEXT,
    filepath TEXT,
    sent INTEGER,
    inactive_from INTEGER,
    expires_at INTEGER,
    text_hash TEXT,
    is_static INTEGER,
    active_from INTEGER,
    replaced_at INTEGER,
    valid_from INTEGER NOT NULL,
    valid_until INTEGER,
    part_of TEXT,
    type TEXT NOT NULL,
    metadata TEXT,
    row TEXT NOT NULL,
    UNIQUE (organization, id)
  ) STRICT;
  CREATE INDEX documents_of_organization ON documents (organization, created_at, id, updated_at, stage, type);
  CREATE INDEX documents_of_partition ON documents (partition, created_at, id, updated_at, stage, type);
  CREATE INDEX documents_by_number ON documents (no, created_at, id, updated_at, stage, type);
  CREATE INDEX documents_by_custom_id ON documents (organization, custom_id) WHERE custom_id IS NOT NULL;
  CREATE INDEX documents_by_sent ON documents (sent) WHERE sent IS NOT NULL;
  CREATE INDEX documents_by_filepath ON documents (organization, filepath) WHERE filepath IS NOT NULL;
  CREATE INDEX documents_inactive ON documents (partition, inactive_from) WHERE inactive_from IS NOT NULL;
  CREATE INDEX documents_expiring ON documents (expires_at) WHERE expires_at IS NOT NULL;
  CREATE INDEX documents_by_text ON documents (organization, text_hash) WHERE text_hash IS NOT NULL;
  CREATE INDEX documents_by_whole ON documents (organization, part_of) WHERE part_of IS NOT NULL;
  CREATE INDEX documents_static ON documents (partition, created_at, id) WHERE is_static = 1;
  CREATE INDEX documents_unfinished ON documents (updated_at, organization, id) WHERE stage < 5;
  CREATE INDEX documents_without_summary ON documents (updated_at, organization, id) WHERE stage = 5 AND is_summarized = 0;
  CREATE INDEX documents_by_space ON documents (space, updated_at, organization, id) WHERE stage = 5;

  CREATE TABLE metadata (
    document INTEGER NOT NULL,
    key TEXT NOT NULL,
    place INTEGER NOT NULL,
    text TEXT NOT NULL,
    folded TEXT,
    number REAL,
    is_number INTEGER NOT NULL,
    whole INTEGER NOT NULL,
    element INTEGER NOT NULL,
    fact INTEGER,
    folded_fact INTEGER,
    PRIMARY KEY (document, key, place)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX metadata_by_fact ON metadata (fact, document) WHERE fact IS NOT NULL;
  CREATE INDEX metadata_by_folded_fact ON metadata (folded_fact, document) WHERE folded_fact IS NOT NULL;

  CREATE TABLE units (
    document INTEGER NOT NULL,
    kind INTEGER NOT NULL,
    ordinal INTEGER NOT NULL,
    id TEXT NOT NULL,
    text TEXT NOT NULL,
    speaker TEXT,
    location TEXT,
    text_key INTEGER NOT NULL,
    PRIMARY KEY (document, kind, ordinal)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX units_by_id ON units (id);
  CREATE INDEX chunks_by_text ON units (text_key) WHERE kind = 0;
  CREATE INDEX memories_by_text ON units (text_key) WHERE kind = 1;

  CREATE TABLE repeats (
    document INTEGER NOT NULL,
    ordinal INTEGER NOT NULL,
    PRIMARY KEY (document, ordinal)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE left_units (
    document INTEGER NOT NULL,
    kind INTEGER NOT NULL,
    ordinal INTEGER NOT NULL,
    since INTEGER NOT NULL,
    PRIMARY KEY (document, kind, ordinal)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE former_tags (
    organization TEXT NOT NULL,
    tag TEXT NOT NULL,
    since INTEGER NOT NULL,
    until INTEGER NOT NULL,
    document INTEGER NOT NULL,
    PRIMARY KEY (organization, tag, since, document)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX former_tags_of_document ON former_tags (document, until);

${ENTRY_TABLES}
  CREATE TABLE entry_log (change INTEGER PRIMARY KEY, document INTEGER NOT NULL) STRICT;
${LANGUAGE_TABLE}${SECOND_TABLES}`,
};
