import type { VersionPayload } from './events.ts';

export interface MemoryVersion extends VersionPayload {
  /** Milliseconds since the epoch. */
  readonly createdAt: number;
}

/** Where a memory that was formed from a document comes from. */
export interface TouchedPassage {
  readonly documentId: string;
  /** Hashes of the sentences of its first version. */
  readonly sentences: readonly string[];
  /** Hashes of sentences of its versions that were said again since it is forgotten or has expired. */
  readonly restored: readonly string[];
}

/** What a memory has beside what it has in common with documents. */
export interface RecordedMemory {
  /** Oldest first; never empty. Of a passage the first one has no text: that is in the document. */
  readonly versions: readonly MemoryVersion[];
  /** Null: not forgotten. `at`: milliseconds since the epoch. */
  readonly forgotten: { readonly reason: string | null; readonly at: number } | null;
  /** Whether it is recorded that the latest version has expired. */
  readonly isExpired: boolean;
  /** Null: it was recorded directly. */
  readonly passage: TouchedPassage | null;
}

/** Name of the read model that finds memories by the ids of their versions. */
export const MEMORY_VERSIONS = 'memory_versions';

export const latestVersion = ({ versions }: RecordedMemory): MemoryVersion => versions.at(-1) as MemoryVersion;

/** Whether the text of the latest version is that of a document. */
export const isInDocument = ({ passage, versions }: RecordedMemory): boolean =>
  passage !== null && versions.length === 1;

/** Hashes of the sentences that the document does not show while the memory is inactive. */
export const cutSentences = ({ passage }: RecordedMemory): readonly string[] =>
  passage === null ? [] : passage.sentences.filter((sentence) => !passage.restored.includes(sentence));

/** Whether a caller has forgotten the memory, and nothing of it was said again since. */
export const isForgotten = ({ forgotten, passage }: RecordedMemory): boolean =>
  forgotten !== null && (passage === null || passage.restored.length === 0);

/** When it is due to be recorded that the memory has expired: milliseconds since the epoch. Null: never, or done. */
export function expiresAt(memory: RecordedMemory): number | null {
  return memory.isExpired || memory.forgotten !== null ? null : inactiveFrom(memory);
}

/** From when on the memory is left out of answers: milliseconds since the epoch, 0 if it is forgotten. Null: never. */
export function inactiveFrom(memory: RecordedMemory): number | null {
  if (memory.forgotten !== null) return 0;
  const { forgetAfter } = latestVersion(memory);
  return forgetAfter === null ? null : Date.parse(forgetAfter);
}
