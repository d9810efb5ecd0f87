import type { Recorded } from '#platform/kernel';
import type { MemoryEvent, VersionPayload } from './events.ts';
import { type DocumentPassage, evolve, type Memory } from './memory.ts';
import { sentenceHashes } from './sentences.ts';

/** Builders of a memory's past; only specs import them. */

export const NOON = Date.parse('2026-01-01T12:00:00.000Z');

export const FIRST: VersionPayload = {
  ...{ id: 'first', text: 'Mara lives in Oslo.', isStatic: false, metadata: { kind: 'home', n: 1 } },
  ...{ forgetAfter: null, forgetReason: null, temporalContext: null, language: null },
};

const PASSAGE_TEXT = 'Mara lives in Oslo. She sails.';

export const PASSAGE: DocumentPassage = {
  ...{ organization: 'org', documentId: 'document', id: 'passage', text: PASSAGE_TEXT, tags: ['mara'] },
  ...{ sentences: sentenceHashes(PASSAGE_TEXT), createdAt: NOON },
};

/** @param now milliseconds since the epoch */
export const changedBy = (memory: Memory | null, now: number, ...events: readonly MemoryEvent[]): Memory =>
  events
    .map((event) => {
      const context = {
        organization: 'org',
        tags: ['mara'],
        at: new Date(now).toISOString(),
        correlationId: 'request',
      };
      return { ...context, ...event } as Recorded<MemoryEvent>;
    })
    .reduce<Memory | null>(evolve, memory) as Memory;

/** A memory that was recorded directly. */
export const memoryWith = (version: Partial<VersionPayload> = {}): Memory =>
  changedBy(null, NOON, { type: 'MemoryRecorded', contentVersion: 1, payload: { ...FIRST, ...version } });

/** A memory that was formed from a document, with its stream. */
export const passageMemory = (...events: readonly MemoryEvent[]): Memory => {
  const { id, documentId, sentences } = PASSAGE;
  const opening = { type: 'PassageTouched', contentVersion: 1, payload: { id, documentId, sentences } } as const;
  return changedBy(null, NOON + 1, opening, ...events);
};

export const FORGOTTEN = { type: 'MemoryForgotten', payload: { reason: 'why' } } as const satisfies MemoryEvent;
export const RESTORED = { type: 'MemoryRestored', payload: null } as const satisfies MemoryEvent;
export const EXPIRED = { type: 'MemoryExpired', payload: null } as const satisfies MemoryEvent;

export const revisedTo = (version: Partial<VersionPayload>, contentVersion = 2): MemoryEvent => ({
  ...{ type: 'MemoryRevised', contentVersion },
  payload: { ...FIRST, id: 'next', ...version },
});
