import { MEMORY_VERSIONS, type VersionPayload } from '#documents';
import type { ReadModel } from '../read-model.ts';
import { eventModel } from '../row-models.ts';

/** Later versions of memories that were recorded directly: which stream has a version. That of a first version has its id. */
export const VERSIONS_OF_MEMORIES: ReadModel = eventModel({
  name: MEMORY_VERSIONS,
  version: 1,
  columns: { version_id: 'text' },
  indexes: [['version_id']],
  types: ['MemoryRevised', 'DocumentDeleted'],
  opens: ['MemoryRevised'],
  clears: ({ envelope }) => envelope.type === 'DocumentDeleted' && envelope.category === 'memory',
  rowsOf: ({ payload }) => {
    const version = payload as unknown as VersionPayload | null;
    return version === null ? [] : [{ version_id: version.id }];
  },
});
