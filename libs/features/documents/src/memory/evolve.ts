import type { Recorded } from '#platform/kernel';
import { UNREAD } from '../content/evolve.ts';
import { FORMED_STAGES } from '../processing/progress.ts';
import type { Live, Ready } from '../state.ts';
import type {
  MemoryExpired,
  MemoryForgotten,
  MemoryRecorded,
  MemoryRestored,
  MemoryRevised,
  PassageTouched,
  SentencesRestored,
  VersionPayload,
} from './events.ts';
import { isInDocument, latestVersion, type MemoryVersion, type RecordedMemory, type TouchedPassage } from './state.ts';

/** Type of a memory among those of documents, which no document has. */
const MEMORY_TYPE = 'memory';

export const memoryRecorded = (event: Recorded<MemoryRecorded>): Ready =>
  begun(event, versionOf(event), null, present(event.payload));

/** The first version of a passage has no text here: the document has it. */
export function passageTouched(event: Recorded<PassageTouched>): Ready {
  const { id, documentId, sentences } = event.payload;
  const version: MemoryVersion = {
    ...{ id, text: '', isStatic: false, metadata: null, forgetAfter: null, forgetReason: null },
    ...{ temporalContext: null, language: null, createdAt: Date.parse(event.at) },
  };
  return begun(event, version, { documentId, sentences, restored: [] }, { ...present(version), ...UNFORMED });
}

/** Of a passage without another version. */
const UNFORMED = { content: { parts: [] }, memories: { inline: [] }, stage: 'done' } as const;

function begun(
  event: Recorded<MemoryRecorded | PassageTouched>,
  version: MemoryVersion,
  passage: TouchedPassage | null,
  formed: Formed,
): Ready {
  return {
    ...UNREAD,
    status: 'live',
    organization: event.organization,
    id: event.payload.id,
    customId: null,
    tags: event.tags,
    filepath: null,
    taskType: 'memory',
    type: MEMORY_TYPE,
    source: 'api',
    url: null,
    sent: null,
    extractedBorders: null,
    isImported: false,
    createdAt: version.createdAt,
    updatedAt: Date.parse(event.at),
    touched: [],
    discarded: 0,
    formerTags: [],
    ...formed,
    memory: { versions: [version], forgotten: null, isExpired: false, passage },
    contentVersion: event.contentVersion,
    request: event.correlationId,
  };
}

type ChangeEvent = Recorded<MemoryRevised | MemoryForgotten | MemoryRestored | SentencesRestored | MemoryExpired>;

/** @param event of a memory; of a document it changes nothing */
export function memoryChanged(state: Live, event: ChangeEvent): Live {
  const { memory } = state;
  if (memory === null) return state;
  return { ...changed(state, memory, event), tags: event.tags };
}

function changed(state: Live, memory: RecordedMemory, event: ChangeEvent): Live {
  switch (event.type) {
    case 'MemoryRevised': {
      const version = versionOf(event);
      return {
        ...state,
        ...present(event.payload),
        memory: { ...withoutRestored(memory), versions: [...memory.versions, version], isExpired: false },
        contentVersion: event.contentVersion,
        request: event.correlationId,
        createdAt: version.createdAt,
      } satisfies Ready;
    }
    case 'MemoryForgotten':
      return {
        ...state,
        memory: { ...withoutRestored(memory), forgotten: { reason: event.payload.reason, at: Date.parse(event.at) } },
      };
    case 'MemoryRestored':
      return { ...state, memory: restored(withoutRestored(memory), Date.parse(event.at)) };
    case 'SentencesRestored':
      return { ...state, memory: withRestored(memory, event.payload.sentences) };
    case 'MemoryExpired':
      return { ...state, memory: { ...memory, isExpired: true } };
  }
}

const withRestored = (memory: RecordedMemory, sentences: readonly string[]): RecordedMemory => ({
  ...memory,
  passage: memory.passage && { ...memory.passage, restored: [...memory.passage.restored, ...sentences] },
});

/** Each decision of a caller is about all sentences. */
const withoutRestored = (memory: RecordedMemory): RecordedMemory => ({
  ...memory,
  passage: memory.passage && { ...memory.passage, restored: [] },
});

/** Processed again: everything but the vectors follows from the event of the version. */
export const formedAgain = (state: Live, memory: RecordedMemory): Live =>
  isInDocument(memory) ? state : { ...state, ...present(latestVersion(memory)) };

function restored(memory: RecordedMemory, at: number): RecordedMemory {
  const latest = latestVersion(memory);
  const isExpired = latest.forgetAfter !== null && Date.parse(latest.forgetAfter) <= at;
  const version = isExpired ? { ...latest, forgetAfter: null, forgetReason: null } : latest;
  return { ...memory, versions: [...memory.versions.slice(0, -1), version], forgotten: null, isExpired: false };
}

function versionOf({ payload, at }: Recorded<MemoryRecorded | MemoryRevised>): MemoryVersion {
  const { recordedAt = at, ...version } = payload;
  return { ...version, createdAt: Date.parse(recordedAt) };
}

type Formed = Omit<ReturnType<typeof present>, 'content' | 'memories' | 'stage'> &
  Pick<Ready, 'content' | 'memories' | 'stage'>;

/** What the latest version makes of the document. */
function present({ id, text, metadata, temporalContext, language }: VersionPayload) {
  const documentDate = temporalContext?.documentDate ?? null;
  return {
    content: { parts: [{ inline: text }] },
    metadata,
    language,
    documentDate,
    unitsDate: documentDate,
    stage: 'embedding',
    error: null,
    attempts: 0,
    recorded: FORMED_STAGES,
    isSummarized: true,
    extracted: 'content',
    chunks: { inline: [] },
    memories: { inline: [[id, 0, text.length, null]] },
    vectorSpace: null,
    secondSpace: null,
  } as const;
}
