import { callersIn } from '../model/texts.ts';
import type { Reading } from './reading.ts';

interface FoundDocument {
  readonly documentId: string;
  readonly chunks: readonly { readonly explain: { readonly coverage: number } }[];
}

/**
 * Returns the ids of the documents that have one of the words. Those that are found by their vectors alone do not count.
 * @throws Error if the search shows a text that the key may not see
 */
export async function searchWords({ key, connection }: Reading, words: readonly string[]): Promise<readonly string[]> {
  const body = { q: words.join(' '), limit: 100, explain: true };
  const reply = await connection.send({ method: 'POST', path: '/v3/search', body });
  if (reply?.status !== 200) throw new Error(`a search is answered with ${reply?.status}`);
  const results = reply.body.results as readonly FoundDocument[];
  for (const caller of callersIn(JSON.stringify(results))) {
    if (!key.sees.includes(caller)) throw new Error(`leaked: a search by ${key.name} shows a text of ${caller}`);
  }
  return results
    .filter(({ chunks }) => chunks.some(({ explain }) => explain.coverage > 0))
    .map(({ documentId }) => documentId);
}
