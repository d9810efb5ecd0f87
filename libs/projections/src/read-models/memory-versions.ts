import { MEMORY_VERSIONS, memoryTextHash, type VersionPayload } from '#documents';
import type { ReadModel } from '../read-model.ts';
import { eventModel } from '../row-models.ts';

/** The versions of memories that were recorded directly: which stream has a version, and which have one with a text. */
export const VERSIONS_OF_MEMORIES: ReadModel = eventModel({
  name: MEMORY_VERSIONS,
  version: 1,
  columns: { version_id: 'text', text_hash: 'text', at: 'number' },
  indexes: [['version_id'], ['text_hash']],
  types: ['MemoryRecorded', 'MemoryRevised', 'DocumentDeleted'],
  opens: ['MemoryRecorded'],
  clears: ({ envelope }) => envelope.type === 'DocumentDeleted',
  rowsOf: ({ envelope: { organization, at }, payload }) => {
    const version = payload as unknown as VersionPayload | null;
    if (version === null) return [];
    const { id, text } = version;
    return [{ version_id: id, text_hash: memoryTextHash(organization, text), at: Date.parse(at) }];
  },
});
