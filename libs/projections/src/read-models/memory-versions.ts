import { MEMORY_VERSIONS } from '#documents';
import type { ReadModel } from '../read-model.ts';
import { eventModel } from '../row-models.ts';

/**
 * Which streams have the later versions of memories, and the ids that were carried on to memories. The stream of a first version
 * has its id.
 */
export const VERSIONS_OF_MEMORIES: ReadModel = eventModel({
  name: MEMORY_VERSIONS,
  version: 2,
  // `at`: milliseconds since the epoch.
  columns: { version_id: 'text', at: 'number' },
  indexes: [['version_id']],
  types: ['MemoryRevised', 'MemoryIdCarried', 'DocumentDeleted'],
  opens: ['MemoryRevised', 'MemoryIdCarried'],
  clears: ({ envelope }) => envelope.type === 'DocumentDeleted' && envelope.category === 'memory',
  rowsOf: ({ payload, envelope }) => {
    if (payload === null) return [];
    const { id, ids = [id] } = payload as { readonly id: string; readonly ids?: readonly string[] };
    return ids.map((version_id) => ({ version_id, at: Date.parse(envelope.at) }));
  },
});
