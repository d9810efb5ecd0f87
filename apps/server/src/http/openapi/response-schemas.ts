import type { JsonObject } from '#kernel';
import { STAGES } from '#views';
import type { Answer } from './route-docs.ts';

const TEXT = { type: 'string' };
const NUMBER = { type: 'number' };
const COUNT = { type: 'integer', minimum: 0 };
const FLAG = { type: 'boolean' };
const TIME = { type: 'string', format: 'date-time' };
const SCORE = { type: 'number', minimum: 0, maximum: 1 };
const TEXTS = { type: 'array', items: TEXT };
const STATUS = { type: 'string', enum: [...STAGES, 'processing'] };
const NOTHING = { type: 'null' };

const list = (items: JsonObject): JsonObject => ({ type: 'array', items });
const orNull = (schema: JsonObject): JsonObject => ({ oneOf: [schema, NOTHING] });

/** A name that ends in `?` need not be there. */
function object(properties: Readonly<Record<string, JsonObject>>): JsonObject {
  const entries = Object.entries(properties);
  return {
    type: 'object',
    properties: Object.fromEntries(entries.map(([name, schema]) => [name.replace('?', ''), schema])),
    required: entries.map(([name]) => name).filter((name) => !name.endsWith('?')),
  };
}

const json = (schema: JsonObject): Answer => ({ mediaType: 'application/json', schema });

const METADATA = orNull({
  type: 'object',
  additionalProperties: { oneOf: [TEXT, NUMBER, FLAG] },
});

const RECORD = {
  id: TEXT,
  customId: orNull(TEXT),
  status: STATUS,
  processingStage: { type: 'string', enum: [...STAGES] },
  metadata: METADATA,
  title: orNull(TEXT),
  summary: orNull(TEXT),
  type: TEXT,
  connectionId: orNull(TEXT),
  containerTags: TEXTS,
  createdAt: TIME,
  updatedAt: TIME,
};
const LOCATED = { containerTag: orNull(TEXT), url: orNull(TEXT), filepath: orNull(TEXT) };

const PAGINATION = object({ currentPage: COUNT, totalPages: COUNT, totalItems: COUNT, limit: COUNT });

export const ERROR = object({
  error: TEXT,
  message: TEXT,
  'details?': { type: 'string', description: 'What in the request it is about.' },
  'code?': TEXT,
  'requestId?': TEXT,
});

export const ACCEPTED = json(object({ id: TEXT, status: STATUS }));

export const DOCUMENT = json(
  object({
    ...RECORD,
    ...LOCATED,
    content: orNull(TEXT),
    processingError: orNull(object({ code: TEXT, message: TEXT })),
    source: orNull(TEXT),
    ogImage: orNull(TEXT),
    raw: NOTHING,
    spatialPoint: NOTHING,
    taskType: { type: 'string', enum: ['memory', 'superrag'] },
    dreamingStatus: { type: 'string', enum: ['dreaming', 'done'] },
  }),
);

export const DOCUMENT_LIST = json(
  object({ memories: list(object({ ...RECORD, ...LOCATED, 'content?': orNull(TEXT) })), pagination: PAGINATION }),
);

export const PROCESSING_LIST = json(object({ documents: list(object(RECORD)), totalCount: COUNT }));

const EXPLANATION = {
  ...orNull(object({ cosine: orNull(NUMBER), cosineWide: orNull(NUMBER), coverage: SCORE })),
  description:
    'With `explain`: cosine of the passage, and of it with its neighbours (null: searched by words alone), and the share of the question that stands in the passage.',
};

const results = (item: JsonObject): JsonObject => object({ results: list(item), timing: NUMBER, total: COUNT });

export const DOCUMENT_RESULTS = json(
  results(
    object({
      documentId: TEXT,
      id: TEXT,
      customId: orNull(TEXT),
      title: orNull(TEXT),
      type: orNull(TEXT),
      score: SCORE,
      chunks: list(object({ content: TEXT, isRelevant: FLAG, score: SCORE, position: COUNT, 'explain?': EXPLANATION })),
      metadata: METADATA,
      createdAt: TIME,
      updatedAt: TIME,
      'content?': orNull(TEXT),
      'summary?': orNull(TEXT),
    }),
  ),
);

const FOUND_MEMORIES = results(
  object({
    id: TEXT,
    'memory?': { ...TEXT, description: 'Of a memory; never together with `chunk`.' },
    'chunk?': { ...TEXT, description: 'Of a chunk; never together with `memory`.' },
    similarity: SCORE,
    metadata: METADATA,
    updatedAt: TIME,
    'version?': COUNT,
    'rootMemoryId?': TEXT,
    'documentId?': TEXT,
    'title?': TEXT,
    'filepath?': orNull(TEXT),
    'documents?': list(
      object({
        id: TEXT,
        'title?': orNull(TEXT),
        'type?': TEXT,
        'metadata?': METADATA,
        'summary?': orNull(TEXT),
        createdAt: TIME,
        updatedAt: TIME,
      }),
    ),
    'explain?': EXPLANATION,
  }),
);

export const MEMORY_RESULTS = json(FOUND_MEMORIES);

export const PROFILE = json(
  object({
    profile: object({ static: TEXTS, dynamic: TEXTS, buckets: { type: 'object', additionalProperties: TEXTS } }),
    'searchResults?': FOUND_MEMORIES,
  }),
);

export const SERVICE = json(object({ status: TEXT, name: TEXT, version: TEXT }));

export const HEALTH = json(
  object({
    status: { type: 'string', enum: ['ok', 'degraded'] },
    version: TEXT,
    search: object({ lexical: FLAG, vectors: FLAG, model: orNull(TEXT) }),
    model: { type: 'object' },
    views: object({ rebuilding: FLAG }),
    storage: object({ writable: FLAG }),
    unreachable: list({ type: 'string', enum: ['log', 'bus', 'views'] }),
  }),
);

const PERMITTED_TAG = object({ containerTag: TEXT, permission: { type: 'string', enum: ['read', 'write'] } });

export const SESSION = json(
  object({
    user: object({ id: TEXT }),
    org: object({ id: TEXT }),
    role: { type: 'string', enum: ['owner', 'admin', 'member'] },
    accessType: { type: 'string', enum: ['full', 'restricted'] },
    containerTags: orNull(list(PERMITTED_TAG)),
    scope: object({ type: { type: 'string', enum: ['full', 'scoped'] }, 'tags?': TEXTS }),
  }),
);

export const OPENAPI = json({ type: 'object', description: 'This document.' });
export const PAGE: Answer = { mediaType: 'text/html', schema: TEXT };
export const ASSET: Answer = { mediaType: '*/*', schema: TEXT };

export const DOCUMENT_EVENTS = json(
  object({
    events: list(
      object({
        id: TEXT,
        type: TEXT,
        schemaVersion: COUNT,
        at: TIME,
        organization: TEXT,
        documentId: TEXT,
        revision: COUNT,
        tags: TEXTS,
        actor: { type: 'string', description: '`key:<id>` or `system`.' },
        correlationId: TEXT,
        causationId: orNull(TEXT),
        'contentVersion?': COUNT,
        'stage?': TEXT,
        'attempt?': COUNT,
        'code?': TEXT,
        'sizes?': { type: 'object', additionalProperties: NUMBER },
      }),
    ),
  }),
);

export const EVENTS: Answer = {
  mediaType: 'text/event-stream',
  schema: {
    type: 'string',
    description:
      'Each event: `id:` its place `<store>:<position>` to go on from, `event:` its type, `data:` its envelope as JSON (id, type, schemaVersion, at, organization, documentId, revision, tags, actor, correlationId, causationId, and where it has them contentVersion, stage, attempt, code, sizes). Never content, metadata, customId or title. A comment every 15 s keeps the connection open.',
  },
};
