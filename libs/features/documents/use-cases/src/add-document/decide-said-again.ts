import {
  hashedSentences,
  isActive,
  latestVersion,
  type Memory,
  type MemoryRestored,
  type SentencesRestored,
} from '#features/memories';

/**
 * Decides what a text for its document says again of a memory that is forgotten or has expired: all that was not said again
 * before, or some sentences.
 * @param said hashes of sentences @param now milliseconds since the epoch
 */
export function decideSaidAgain(
  memory: Memory,
  said: ReadonlySet<string>,
  now: number,
): readonly [] | readonly [MemoryRestored | SentencesRestored] {
  if (isActive(memory, now)) return [];
  const left = unsaid(memory);
  const sentences = left.filter((sentence) => said.has(sentence));
  if (sentences.length === 0) return [];
  if (sentences.length === left.length) return [{ type: 'MemoryRestored', payload: null }];
  return [{ type: 'SentencesRestored', payload: { sentences } }];
}

/** Returns the hashes of the sentences of a memory, as its document has it and as a caller has revised it, not said again yet. */
function unsaid(memory: Memory): readonly string[] {
  const { sentences = [], restored = [] } = memory.passage ?? {};
  const revised = hashedSentences(latestVersion(memory).text).map(({ hash }) => hash);
  return [...new Set([...sentences, ...revised])].filter((sentence) => !restored.includes(sentence));
}
