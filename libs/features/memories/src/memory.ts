import type { Recorded } from '#platform/kernel';
import type {
  MemoryEvent,
  MemoryExpired,
  MemoryForgotten,
  MemoryRecorded,
  MemoryRestored,
  MemoryRevised,
  PassageTouched,
  SentencesRestored,
  VersionPayload,
} from './events.ts';

export interface MemoryVersion extends VersionPayload {
  /** Milliseconds since the epoch. */
  readonly createdAt: number;
}

/** Where a memory that was formed from a document comes from. */
export interface MemorySource {
  readonly documentId: string;
  /** Hashes of the sentences of its first version. */
  readonly sentences: readonly string[];
  /** Hashes of sentences of its versions that a text for the document has said again since it is forgotten or has expired. */
  readonly restored: readonly string[];
}

export interface Memory {
  readonly organization: string;
  /** Of its first version, and of its stream. */
  readonly id: string;
  readonly tags: readonly string[];
  /** Number of the latest version; vectors are made for each version. */
  readonly contentVersion: number;
  /** Oldest first; never empty. Of a passage the first one has no text: that is in the document. */
  readonly versions: readonly MemoryVersion[];
  /** Null: not forgotten. `at`: milliseconds since the epoch. */
  readonly forgotten: { readonly reason: string | null; readonly at: number } | null;
  /** Whether it is recorded that the latest version has expired. */
  readonly isExpired: boolean;
  /** Null: it was recorded directly. */
  readonly passage: MemorySource | null;
}

/** A memory as its document holds it. */
export interface DocumentPassage extends Pick<Memory, 'organization' | 'id'> {
  readonly documentId: string;
  readonly text: string;
  /** Hashes of its sentences. */
  readonly sentences: readonly string[];
  /** Of the document, as its time. */
  readonly tags: readonly string[];
  /** Milliseconds since the epoch. */
  readonly createdAt: number;
}

/** Returns the memory of a passage, as long as no caller has changed it. */
export const memoryOfPassage = ({
  organization,
  documentId,
  id,
  text,
  sentences,
  tags,
  createdAt,
}: DocumentPassage): Memory => ({
  ...{ organization, id, tags, contentVersion: 1, forgotten: null, isExpired: false },
  versions: [
    {
      ...{ id, text, isStatic: false, metadata: null, forgetAfter: null, forgetReason: null },
      ...{ temporalContext: null, language: null, createdAt },
    },
  ],
  passage: { documentId, sentences, restored: [] },
});

/** Returns a memory with what its first version has from the document. @param text of the passage */
export function withPassage(
  memory: Memory,
  { tags, createdAt }: Pick<DocumentPassage, 'tags' | 'createdAt'>,
  text: string,
): Memory {
  const [first, ...later] = memory.versions;
  return { ...memory, tags, versions: first === undefined ? [] : [{ ...first, text, createdAt }, ...later] };
}

export const latestVersion = ({ versions }: Pick<Memory, 'versions'>): MemoryVersion =>
  versions.at(-1) as MemoryVersion;

/** Whether the text of the latest version is that of a document. */
export const isInDocument = ({ passage, versions }: Memory): boolean => passage !== null && versions.length === 1;

/** Hashes of the sentences that the document does not show while the memory is inactive. */
export const cutSentences = ({ passage }: Memory): readonly string[] =>
  passage === null ? [] : passage.sentences.filter((sentence) => !passage.restored.includes(sentence));

/** Whether a caller has forgotten the memory, and nothing of it was said again since. */
export const isForgotten = ({ forgotten, passage }: Memory): boolean =>
  forgotten !== null && (passage === null || passage.restored.length === 0);

/** Neither forgotten nor expired. @param now milliseconds since the epoch */
export function isActive(memory: Memory, now: number): boolean {
  const from = inactiveFrom(memory);
  return from === null || from > now;
}

/** When it is due to be recorded that the memory has expired: milliseconds since the epoch. Null: never, or done. */
export function expiresAt(memory: Memory): number | null {
  return memory.isExpired || memory.forgotten !== null ? null : inactiveFrom(memory);
}

/** From when on the memory is left out of answers: milliseconds since the epoch, 0 if it is forgotten. Null: never. */
export function inactiveFrom(memory: Memory): number | null {
  if (memory.forgotten !== null) return 0;
  const { forgetAfter } = latestVersion(memory);
  return forgetAfter === null ? null : Date.parse(forgetAfter);
}

/** @param memory null: its stream begins, or is that of a document, of which nothing changes */
export function evolve(memory: Memory | null, event: Recorded<MemoryRecorded | PassageTouched>): Memory;
export function evolve<M extends Memory | null>(memory: M, event: Recorded<MemoryEvent>): Memory | M;
export function evolve(memory: Memory | null, event: Recorded<MemoryEvent>): Memory | null {
  const { organization, tags } = event;
  switch (event.type) {
    case 'MemoryRecorded': {
      const { contentVersion, payload } = event;
      const first = { versions: [versionOf(event)], forgotten: null, isExpired: false, passage: null };
      return { organization, id: payload.id, tags, contentVersion, ...first };
    }
    case 'PassageTouched':
      return memoryOfPassage({ ...event.payload, organization, tags, text: '', createdAt: Date.parse(event.at) });
  }
  return memory && { ...changed(memory, event), tags };
}

type ChangeEvent = Recorded<MemoryRevised | MemoryForgotten | MemoryRestored | SentencesRestored | MemoryExpired>;

/** A decision of a caller is about all sentences, so those that were said again no longer count. */
function changed(memory: Memory, event: ChangeEvent): Memory {
  const passage = memory.passage && { ...memory.passage, restored: [] };
  switch (event.type) {
    case 'MemoryRevised': {
      const versions = [...memory.versions, versionOf(event)];
      return { ...memory, passage, versions, contentVersion: event.contentVersion, isExpired: false };
    }
    case 'MemoryForgotten':
      return { ...memory, passage, forgotten: { reason: event.payload.reason, at: Date.parse(event.at) } };
    case 'MemoryRestored':
      return { ...memory, passage, ...restored(memory, Date.parse(event.at)) };
    case 'SentencesRestored':
      return { ...memory, passage: memory.passage && withSentences(memory.passage, event.payload.sentences) };
    case 'MemoryExpired':
      return { ...memory, isExpired: true };
  }
}

const withSentences = (passage: MemorySource, sentences: readonly string[]): MemorySource => ({
  ...passage,
  restored: [...passage.restored, ...sentences],
});

/** If the latest version has expired, it no longer expires. */
function restored({ versions }: Memory, at: number): Pick<Memory, 'versions' | 'forgotten' | 'isExpired'> {
  const latest = latestVersion({ versions });
  const hasExpired = latest.forgetAfter !== null && Date.parse(latest.forgetAfter) <= at;
  const version = hasExpired ? { ...latest, forgetAfter: null, forgetReason: null } : latest;
  return { versions: [...versions.slice(0, -1), version], forgotten: null, isExpired: false };
}

function versionOf({ payload, at }: Recorded<MemoryRecorded | MemoryRevised>): MemoryVersion {
  const { recordedAt = at, ...version } = payload;
  return { ...version, createdAt: Date.parse(recordedAt) };
}
