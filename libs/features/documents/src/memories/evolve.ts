import {
  evolveMemory,
  isInDocument,
  latestVersion,
  type Memory,
  type MemoryEvent,
  type MemoryRecorded,
  type PassageTouched,
} from '#features/memories';
import type { Recorded } from '#platform/kernel';
import { UNREAD } from '../content/evolve.ts';
import { FORMED_STAGES } from '../processing/progress.ts';
import type { Live, Ready } from '../state.ts';

type Opening = Recorded<MemoryRecorded | PassageTouched>;

/** Type of a memory among those of documents, which no document has. */
const MEMORY_TYPE = 'memory';

export function memoryBegun(event: Opening): Ready {
  const memory = evolveMemory(null, event);
  const at = Date.parse(event.at);
  return {
    ...UNREAD,
    ...{ status: 'live', organization: memory.organization, id: memory.id, customId: null, filepath: null },
    ...{ taskType: 'memory', type: MEMORY_TYPE, source: 'api', url: null, sent: null, extractedBorders: null },
    ...{ isImported: false, createdAt: latestVersion(memory).createdAt, updatedAt: at, request: event.correlationId },
    ...{ touched: [], discarded: 0, formerTags: [] },
    ...documentOf(memory),
  };
}

/** @param event of a memory; of a document it changes nothing */
export function memoryChanged(state: Live, event: Exclude<Recorded<MemoryEvent>, Opening>): Live {
  if (state.memory === null) return state;
  const memory = evolveMemory(state.memory, event);
  if (event.type !== 'MemoryRevised') return { ...state, tags: memory.tags, memory };
  const { createdAt } = latestVersion(memory);
  return { ...state, ...documentOf(memory), createdAt, request: event.correlationId };
}

/**
 * Returns what pipeline, projection and vector spaces read of a memory: a document with the text of the latest version as its only
 * memory, of which everything but the vectors follows from the event. If the text is in another document, there is nothing to do.
 */
export function documentOf(memory: Memory): Pick<Ready, keyof typeof FORMED | Derived> {
  const { id, text, metadata, temporalContext, language } = latestVersion(memory);
  const documentDate = temporalContext?.documentDate ?? null;
  const isElsewhere = isInDocument(memory);
  return {
    ...FORMED,
    ...{ memory, tags: memory.tags, contentVersion: memory.contentVersion },
    ...{ metadata, language, documentDate, unitsDate: documentDate },
    content: { parts: isElsewhere ? [] : [{ inline: text }] },
    memories: { inline: isElsewhere ? [] : [[id, 0, text.length, null]] },
    stage: isElsewhere ? 'done' : 'embedding',
  };
}

type Derived =
  | ('memory' | 'tags' | 'contentVersion' | 'metadata' | 'language')
  | ('documentDate' | 'unitsDate' | 'content' | 'memories' | 'stage');

/** Of each version, as it begins. */
const FORMED = {
  recorded: FORMED_STAGES,
  extracted: 'content',
  chunks: { inline: [] },
  isSummarized: true,
  error: null,
  attempts: 0,
  vectorSpace: null,
  secondSpace: null,
} as const;
