import type { VersionInDocument } from '#features/memories';
import type { DocumentResult, MemoryResult } from '#features/search/use-cases';
import type { OrganizationId } from '#platform/kernel';
import type { Position, RecordedEvent } from '#ports/event-store';
import type { DocumentRow, Unit } from '#read-side/views';

export const ORGANIZATION = 'acme' as OrganizationId;

export const ROW: DocumentRow = {
  organization: ORGANIZATION,
  id: 'DocumentDocumentDocume',
  customId: 'conv-1',
  tags: ['sm_project_default', 'org/a'],
  metadata: { kind: 'chat', turns: 2, vip: false },
  stage: 'embedding',
  error: null,
  contentVersion: 1,
  title: 'Title',
  summary: 'Summary',
  type: 'text',
  url: null,
  source: 'api',
  filepath: '/a.md',
  taskType: 'memory',
  documentDate: '2024-12-31',
  language: 'en',
  author: 'Ann',
  canonicalUrl: null,
  vectorSpaces: [],
  createdAt: Date.UTC(2025, 0, 2, 3, 4, 5, 678),
  updatedAt: Date.UTC(2025, 0, 2, 3, 4, 6, 1),
  revision: 3,
};

/** The only version of a memory of a document. */
export const versionOf = ({ id, text }: Unit): VersionInDocument => ({
  ...{ id, text, isStatic: false, metadata: null, forgetAfter: null, forgetReason: null, temporalContext: null },
  ...{ createdAt: ROW.createdAt, number: 1, parentId: null, rootId: id, nextId: null },
  ...{ isLatest: true, isForgotten: false },
});

const EXPLANATION = { cosine: 0.9, cosineWide: 0.8, coverage: 0.5, ranking: null };
const unit = (kind: Unit['kind']): Unit => ({
  ...{ id: `${kind}-1`, kind, ordinal: 0, text: `a ${kind}`, speaker: null },
  ...(kind === 'memory' && { location: { page: 7, heading: 'Prices' } }),
});

export const FOUND_DOCUMENT: DocumentResult = {
  document: ROW,
  score: 0.8,
  chunks: [
    {
      ...{ content: 'a chunk', position: 3, score: 0.8, isRelevant: true, explanation: EXPLANATION },
      location: { sheet: 'Staff', row: 12 },
    },
  ],
  content: 'hello',
};
export const found = (kind: Unit['kind'], document: DocumentRow = ROW): MemoryResult => ({
  unit: unit(kind),
  similarity: 0.7,
  document,
  explanation: EXPLANATION,
});

export const event = (position: number, overrides: Partial<RecordedEvent['envelope']> = {}): RecordedEvent => ({
  stream: `document-${ORGANIZATION}_${ROW.id}`,
  revision: position,
  position: String(position) as Position,
  envelope: {
    id: `event-${position}`,
    type: 'DocumentAdded',
    schemaVersion: 1,
    at: '2025-01-02T03:04:05.678Z',
    organization: ORGANIZATION,
    tags: ['org/a'],
    actor: 'key:k1',
    correlationId: 'c',
    causationId: null,
    contentVersion: 1,
    sizes: { characters: 5 },
    ...overrides,
  },
  payload: { content: 'SECRET' },
});
