import { DOCUMENT_EVENTS, OPENINGS } from '#features/documents';
import type { ReadModel } from '../read-model.ts';
import { DocumentProjector } from './document-projector.ts';

/** Documents with what filters and lists ask of them, their units, and the index entries that a search scans. */
export const DOCUMENTS: ReadModel = {
  name: 'documents',
  follows: 'state',
  // Each of them changes the row, which names the revision of its stream.
  types: Object.keys(DOCUMENT_EVENTS),
  opens: OPENINGS,
  table: null,
  projector: (sources) => new DocumentProjector(sources),
};
