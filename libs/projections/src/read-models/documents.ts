import type { DocumentPayloads } from '#domain';
import type { ReadModel } from '../read-model.ts';
import { DocumentProjector } from './document-projector.ts';

/** Every event of a document changes its row, which names the revision of its stream. */
const TYPES: Readonly<Record<keyof DocumentPayloads, true>> = {
  DocumentAdded: true,
  ContentAppended: true,
  ContentReplaced: true,
  DetailsChanged: true,
  StageStarted: true,
  ContentExtracted: true,
  ContentChunked: true,
  MemoriesFormed: true,
  UnitsEmbedded: true,
  DocumentIndexed: true,
  ProcessingFailed: true,
  ProcessingRestarted: true,
  DocumentDeleted: true,
};

/** Documents with what filters and lists ask of them, their units, and the index entries that a search scans. */
export const DOCUMENTS: ReadModel = {
  name: 'documents',
  follows: 'state',
  types: Object.keys(TYPES),
  opens: ['DocumentAdded'],
  table: null,
  projector: (sources) => new DocumentProjector(sources),
};
