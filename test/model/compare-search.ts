import type { Client } from './client.ts';
import { SIMILAR } from './compare-memories.ts';
import type { PassagesOf } from './compare-passages.ts';
import { latestOf } from './contract/memories.ts';
import type { Model } from './contract/model.ts';
import { withoutMarker } from './contract/text.ts';
import { hasWord } from './contract/words.ts';
import { same } from './same.ts';

/** Compares what searches find by a word of the vocabulary with the model. */

/** @throws Difference */
export async function compareSearch(model: Model, client: Client, shown: PassagesOf, word: string): Promise<void> {
  await Promise.all([compareDocuments(model, client, shown, word), compareFound(model, client, shown, word)]);
}

/**
 * By its words, and by its vectors, a search finds the documents that have the word, and no others. A text of which a part
 * is forgotten has no vector.
 */
async function compareDocuments(
  { passages, documents }: Model,
  client: Client,
  shown: PassagesOf,
  word: string,
): Promise<void> {
  const { body } = await client.post('/v3/search', { q: word, limit: 100, explain: true });
  const results = body.results as readonly FoundDocument[];
  const having = (hasIt: (id: string, texts: readonly string[]) => boolean) =>
    [...shown]
      .filter(([id, all]) =>
        hasIt(
          id,
          all.map(({ text }) => text),
        ),
      )
      .map(([id]) => id)
      .sort();
  const foundBy = (has: (chunk: FoundDocument['chunks'][number]) => boolean) =>
    results
      .filter(({ chunks }) => chunks.some(has))
      .map(({ documentId }) => documentId)
      .sort();
  same(
    `documents found by the word ${word}`,
    foundBy(({ explain }) => explain.coverage > 0),
    having((id, texts) => texts.some((text) => hasWord(passages.left(id, text), word))),
  );
  const byVectors = foundBy(({ explain }) => (explain.cosine ?? 0) > SIMILAR);
  same(
    `documents found by the vector of ${word}`,
    byVectors,
    having((id, texts) => texts.some((text) => passages.isWhole(id, text) && hasWord(text, word))),
  );
  for (const { documentId, chunks } of results) {
    const document = documents.find(({ id }) => id === documentId);
    for (const { content } of chunks) {
      const isThere = document !== undefined && isPartOf(passages.left(documentId, document.content), content);
      same(`${documentId} has the chunk that was found: ${content}`, isThere, true);
    }
  }
}

export interface FoundDocument {
  readonly documentId: string;
  readonly chunks: readonly {
    readonly content: string;
    readonly explain: { readonly cosine: number | null; readonly coverage: number };
  }[];
}

/** Memories are those of documents that there are, or recorded directly; of equal ones, one is found. */
async function compareFound(model: Model, client: Client, shown: PassagesOf, word: string): Promise<void> {
  const { body } = await client.post('/v4/search', { q: word, threshold: 0, limit: 100, explain: true });
  const found = (body.results as readonly { readonly memory: string; readonly explain: { coverage: number } }[]).filter(
    ({ explain }) => explain.coverage > 0,
  );
  const texts = [
    ...[...shown].flatMap(([id, all]) => model.passages.found(id, all)),
    ...model.memories.active.map((one) => latestOf(one).text),
  ];
  same(
    `a memory is found by the word ${word}`,
    found.length > 0,
    texts.some((one) => hasWord(one, word)),
  );
  for (const { memory } of found) {
    const isThere = hasWord(memory, word) && texts.some((one) => one.trim() === memory.trim());
    same(`there is the memory that was found by ${word}: ${memory}`, isThere, true);
  }
}

/** Whether the lines of one text are lines of another one, in order, whoever says them. */
export function isPartOf(text: string, part: string): boolean {
  const linesOf = (some: string) => some.split('\n').map((line) => withoutMarker(line.trim()));
  const lines = linesOf(text);
  let from = 0;
  return linesOf(part)
    .filter((line) => line !== '')
    .every((line) => {
      from = lines.indexOf(line, from) + 1;
      return from > 0;
    });
}
