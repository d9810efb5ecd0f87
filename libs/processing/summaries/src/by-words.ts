import { countWords } from '#features/search';
import { giveWayToRequests } from '#platform/kernel';
import type { Candidate } from './candidates.ts';

/** The most frequent words of a document, which stand for its subject. */
const FREQUENT = 20;
/** Passages before other work may go on; about half a millisecond. */
const AT_ONCE = 32;

/** Scores passages by the frequent words of the document that they hold, each by its number of passages. */
export async function scoresByWords(candidates: readonly Candidate[]): Promise<readonly number[]> {
  const words: Uint32Array[] = [];
  const passagesWith = new Map<number, number>();
  for (const { text } of candidates) {
    const { terms } = countWords(text);
    words.push(terms);
    for (const term of terms) passagesWith.set(term, (passagesWith.get(term) ?? 0) + 1);
    if (words.length % AT_ONCE === 0) await giveWayToRequests();
  }
  // A word of a single passage says nothing about the others.
  const repeated = [...passagesWith].filter(([, count]) => count > 1);
  const frequent = new Map(repeated.sort(([a, m], [b, n]) => n - m || a - b).slice(0, FREQUENT));
  return words.map((terms) => terms.reduce((sum, term) => sum + (frequent.get(term) ?? 0), 0));
}
