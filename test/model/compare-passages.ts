import { foldedText } from '#read-side/views';
import { type Client, documentPath } from './client.ts';
import { TAGS } from './commands/values.ts';
import { atOnce } from './compare-memories.ts';
import { isActive, latestOf } from './contract/memories.ts';
import { DEFAULT_TAG, type Model, type ModelDocument } from './contract/model.ts';
import type { ModelPassage, ShownPassage } from './contract/passages.ts';
import { partsOf } from './contract/text.ts';
import { hasWord, WORDS } from './contract/words.ts';
import { same, samePassages } from './same.ts';

/** Compares memories that were formed from documents with the model. */

/** First versions, by the ids of their documents. */
export type PassagesOf = ReadonlyMap<string, readonly ShownPassage[]>;

interface Entry {
  readonly id: string;
  readonly memory: string;
  readonly version: number;
  readonly isLatest: boolean;
  readonly isForgotten: boolean;
  readonly rootMemoryId: string;
}

/** Returns the memories of a document by their first versions. */
export async function passagesOf(documentId: string, client: Client): Promise<readonly ShownPassage[]> {
  return firstOf(await entriesOf(documentId, client));
}

/** @throws Difference */
export async function comparePassages(model: Model, client: Client): Promise<PassagesOf> {
  const shown = new Map<string, readonly ShownPassage[]>();
  for (const document of model.documents) {
    if (model.statusOf(document) !== 'done') continue;
    const entries = await entriesOf(document.id, client);
    shown.set(document.id, firstOf(entries));
    compareEntries(model, document, entries);
  }
  await compareList(model, client, shown);
  return shown;
}

/** Checks at once that no search shows a sentence of a memory that was forgotten as a part of its document. */
export function expectCut(client: Client, { id, documentId, versions }: ModelPassage, model: Model): Promise<void> {
  const text = versions[0]?.text ?? '';
  const q = WORDS.find((word) => hasWord(text, word)) ?? text;
  const isCut = (shown: string) => model.passages.isWhole(documentId, shown);
  return atOnce(client, async () => {
    const [chunks, memories] = await Promise.all([
      client.post('/v3/search', { q, limit: 100, docId: documentId }),
      client.post('/v4/search', { q, threshold: 0, limit: 100, include: { documents: true } }),
    ]);
    for (const { content } of chunks.body.results.flatMap((result: { chunks: object[] }) => result.chunks)) {
      same(`no sentence of ${id} in the chunk ${content}`, isCut(content), true);
    }
    for (const { memory, documents } of memories.body.results) {
      const isOfDocument = documents.some((one: { readonly id: string }) => one.id === documentId);
      if (isOfDocument) same(`no sentence of ${id} in the memory ${memory}`, isCut(memory), true);
    }
  });
}

/** They cover the text, do not cross its parts, and show all versions of those that callers have changed. */
function compareEntries(model: Model, { id, content, borders }: ModelDocument, entries: readonly Entry[]): void {
  const texts = firstOf(entries).map((one) => one.text);
  samePassages(`memories of ${id}`, texts, partsOf(content, borders));
  for (const entry of entries.filter(({ version }) => version === 1)) {
    const touched = model.passages.all.find((one) => one.id === entry.id);
    const versions = touched?.versions ?? [{ id: entry.id, text: entry.memory }];
    const wanted = versions.map((version, i) => ({
      ...{ id: version.id, memory: version.text, version: i + 1, isLatest: i === versions.length - 1 },
      isForgotten: touched !== undefined && !isActive(touched),
    }));
    const found = entries
      .filter(({ rootMemoryId }) => rootMemoryId === entry.id)
      .map(({ memory, version, isLatest, isForgotten, ...one }) => ({
        ...{ id: one.id, memory, version, isLatest, isForgotten },
      }));
    same(`versions of the memory ${entry.id} of ${id}`, found, wanted);
  }
}

/** Every memory is listed with what is left of its text. Statements that are equal may be listed as one. */
async function compareList(model: Model, client: Client, shown: PassagesOf): Promise<void> {
  const asked = { containerTags: [...TAGS, DEFAULT_TAG], limit: 1_000 };
  const { body } = await client.post('/v4/memories/list', asked);
  const listed = (body.memoryEntries as readonly { readonly memory: string }[]).map(({ memory }) => memory);
  const wanted = [
    ...[...shown].flatMap(([id, passages]) => model.passages.found(id, passages)),
    ...model.memories.active.map((memory) => latestOf(memory).text),
  ];
  const distinct = (texts: readonly string[]) => [...new Set(texts.map(foldedText))].sort();
  same('the texts of all memories', distinct(listed), distinct(wanted));
}

async function entriesOf(documentId: string, client: Client): Promise<readonly Entry[]> {
  return (await client.get(documentPath(documentId))).body.memories ?? [];
}

const firstOf = (entries: readonly Entry[]): readonly ShownPassage[] =>
  entries.filter(({ version }) => version === 1).map(({ id, memory }) => ({ id, text: memory }));
