import { MEMORY_VERSIONS } from '#features/memories';
import type { ReadModel } from '../read-model.ts';
import { eventModel } from '../row-models.ts';

/** Which streams have the later versions of memories. The stream of a first version has its id. */
export const VERSIONS_OF_MEMORIES: ReadModel = eventModel({
  name: MEMORY_VERSIONS,
  version: 3,
  columns: { version_id: 'text' },
  indexes: [['version_id']],
  types: ['MemoryRevised', 'DocumentDeleted'],
  opens: ['MemoryRevised'],
  clears: ({ envelope }) => envelope.type === 'DocumentDeleted' && envelope.category === 'memory',
  rowsOf: ({ payload }) => {
    const version = payload as { readonly id: string } | null;
    return version === null ? [] : [{ version_id: version.id }];
  },
});
