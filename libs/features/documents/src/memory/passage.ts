import { err, ok, type Recorded, type Result } from '#platform/kernel';
import type { DocumentRow, Unit } from '#read-side/views';
import type { DocumentEvent } from '../events.ts';
import type { DocumentState } from '../state.ts';
import { isActive, type LiveMemory, memoryIn, touched } from './decide.ts';
import type { MemoryRestored, PassageTouched, SentencesRestored } from './events.ts';
import { passageTouched } from './evolve.ts';
import { hashedSentences } from './sentences.ts';
import { latestVersion, type RecordedMemory } from './state.ts';

/** A memory as its document holds it. */
export interface DocumentPassage {
  readonly organization: string;
  readonly documentId: string;
  readonly id: string;
  readonly text: string;
  /** Of the document, as its time. */
  readonly tags: readonly string[];
  /** Milliseconds since the epoch. */
  readonly createdAt: number;
}

/** Returns a memory as the views show it in its document. */
export const passageOf = ({
  unit: { id, text },
  document,
}: {
  readonly unit: Pick<Unit, 'id' | 'text'>;
  readonly document: DocumentRow;
}): DocumentPassage => ({
  ...{ id, text, organization: document.organization, documentId: document.id },
  ...{ tags: document.tags, createdAt: document.createdAt },
});

const payloadOf = ({ id, documentId, text }: DocumentPassage): PassageTouched['payload'] => ({
  ...{ id, documentId },
  sentences: [...new Set(hashedSentences(text).map(({ hash }) => hash))],
});

/** Returns what a passage is that has no stream yet. */
export function untouched(passage: DocumentPassage): LiveMemory {
  const { organization, tags, createdAt } = passage;
  const at = new Date(createdAt).toISOString();
  const facts = { organization, tags, at, correlationId: '', contentVersion: 1 };
  const event = { ...facts, ...touched(payloadOf(passage)) } as Recorded<PassageTouched>;
  return asShown(passageTouched(event) as LiveMemory, passage);
}

/** Returns a memory with what its first version has from the document. */
export function asShown(
  live: LiveMemory,
  { text, tags, createdAt }: Pick<DocumentPassage, 'text' | 'tags' | 'createdAt'>,
): LiveMemory {
  const [first, ...later] = live.memory.versions;
  const versions = first === undefined ? [] : [{ ...first, text, createdAt }, ...later];
  return { ...live, tags, memory: { ...live.memory, versions } };
}

/**
 * Decides about a passage, whether it has a stream or not.
 * @param state of its stream
 * @param decide gets the memory with the text of its document
 */
export function decidePassage<E>(
  state: DocumentState,
  passage: DocumentPassage,
  decide: (live: LiveMemory) => Result<readonly DocumentEvent[], E>,
): Result<{ readonly events: readonly DocumentEvent[]; readonly tags: readonly string[] }, E | 'not_found'> {
  const known = state.status === 'absent' ? untouched(passage) : memoryIn(state);
  if (known === null || known.memory.passage === null) return err('not_found');
  const decided = decide(asShown(known, passage));
  if (!decided.ok) return decided;
  const opening = state.status === 'absent' && decided.value.length > 0 ? [touched(payloadOf(passage))] : [];
  return ok({ events: [...opening, ...decided.value], tags: passage.tags });
}

/** Given memories of a document, then it is recorded which of them get streams. */
export function decideTouched(
  state: DocumentState,
  ids: readonly string[],
): Result<readonly DocumentEvent[], 'not_found'> {
  if (state.status !== 'live' || state.memory !== null) return err('not_found');
  const first = ids.filter((id) => !state.touched.includes(id));
  return ok(first.length === 0 ? [] : [{ type: 'MemoriesTouched', payload: { ids: first } }]);
}

/**
 * Decides what a text for its document says again of a memory that is forgotten or has expired: all that was not said again
 * before, or some sentences.
 * @param said hashes of sentences @param now milliseconds since the epoch
 */
export function decideSaidAgain(
  state: DocumentState,
  said: ReadonlySet<string>,
  now: number,
): Result<readonly [] | readonly [MemoryRestored | SentencesRestored], 'not_found'> {
  const live = memoryIn(state);
  if (live === null) return err('not_found');
  if (isActive(live.memory, now)) return ok([]);
  const left = unsaid(live.memory);
  const sentences = left.filter((sentence) => said.has(sentence));
  if (sentences.length === 0) return ok([]);
  if (sentences.length === left.length) return ok([{ type: 'MemoryRestored', payload: null }]);
  return ok([{ type: 'SentencesRestored', payload: { sentences } }]);
}

/** Returns the hashes of the sentences of a memory, as its document has it and as a caller has revised it, not said again yet. */
function unsaid(memory: RecordedMemory): readonly string[] {
  const { sentences = [], restored = [] } = memory.passage ?? {};
  const revised = hashedSentences(latestVersion(memory).text).map(({ hash }) => hash);
  return [...new Set([...sentences, ...revised])].filter((sentence) => !restored.includes(sentence));
}
