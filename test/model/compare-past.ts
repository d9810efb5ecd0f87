import { now } from '../support/clock.ts';
import { type Client, MEMORIES_PATH } from './client.ts';
import { TAGS } from './commands/values.ts';
import { SAID, SIMILAR } from './compare-memories.ts';
import { type FoundDocument, isPartOf } from './compare-search.ts';
import type { Model } from './contract/model.ts';
import { hasWord, WORDS } from './contract/words.ts';
import { same } from './same.ts';

/** Compares the answers of former times with those that are given later as of these times. */

/** Answers that are remembered, and requested again at the end. */
const MOST_REMEMBERED = 4;

export interface FormerAnswer {
  /** ISO 8601. Everything in the answer was recorded before, and everything else after it. */
  readonly at: string;
  readonly documents: readonly ListedDocument[];
  /** Of all tags, and of each of them. */
  readonly memories: readonly MemoriesOf[];
}

interface MemoriesOf {
  readonly tags: readonly string[];
  readonly memories: readonly PastMemory[];
}

/** Recorded directly, by its latest version. What is forgotten is so in every past, and only marked. */
interface PastMemory {
  readonly id: string;
  readonly memory: string;
  readonly version: number;
  readonly rootMemoryId: string;
}

interface ListedDocument {
  readonly id: string;
  readonly status: unknown;
  readonly content: unknown;
  readonly containerTags: unknown;
}

/** Selections of tags by which memories are asked for. */
const SELECTIONS: readonly (readonly string[])[] = [TAGS, ...TAGS.map((tag) => [tag])];

/** To be called when everything is processed and shown. */
export async function remember(client: Client): Promise<void> {
  const [documents, memories] = await Promise.all([
    list(client, {}),
    Promise.all(SELECTIONS.map(async (tags) => ({ tags, memories: await listMemories(client, tags, {}) }))),
  ]);
  client.former.push({ at: await now(), documents, memories });
  if (client.former.length > MOST_REMEMBERED) client.former.shift();
}

/** What is deleted today is in no past. @throws Difference */
export async function comparePast(model: Model, client: Client): Promise<void> {
  const isThere = ({ id }: ListedDocument) => !model.deleted.has(id);
  const isErased = ({ rootMemoryId }: PastMemory) => model.memories.erased.includes(rootMemoryId);
  for (const { at, documents, memories } of client.former) {
    same(`the documents as of ${at}`, await list(client, { asOf: at }), documents.filter(isThere));
    for (const { tags, memories: all } of memories) {
      const left = all.filter((memory) => !isErased(memory));
      compareLists(`${at} of ${tags}`, await listMemories(client, tags, { asOf: at }), left);
      const found = await findMemories(client, tags, at);
      same(`the memories of ${tags} found as of ${at}`, found, [...new Set(textsOf(left))].sort());
    }
    const there = documents.filter(isThere);
    await Promise.all(
      WORDS.flatMap((word, i) => [
        compareFound(model, client, { at, word, tags: null }, there),
        compareFound(model, client, { at, word, tags: [TAGS[i % TAGS.length] as string] }, there),
      ]),
    );
  }
}

/** By its words, a search finds what documents said then, without what is forgotten today; by its vectors, if nothing is. */
async function compareFound(
  { passages }: Model,
  client: Client,
  { at, word, tags }: { readonly at: string; readonly word: string; readonly tags: readonly string[] | null },
  documents: readonly ListedDocument[],
): Promise<void> {
  const hadTags = ({ containerTags }: ListedDocument) =>
    tags?.some((tag) => (containerTags as readonly string[]).includes(tag)) ?? true;
  const done = new Map(
    documents
      .filter(hadTags)
      .flatMap(({ id, status, content }) => (status === 'done' ? [[id, `${content}`] as const] : [])),
  );
  const asked = { q: word, limit: 100, explain: true, asOf: at, ...(tags && { containerTags: tags }) };
  const { body } = await client.post('/v3/search', asked);
  const results = body.results as readonly FoundDocument[];
  const foundBy = (has: (chunk: FoundDocument['chunks'][number]) => boolean) =>
    results
      .filter(({ chunks }) => chunks.some(has))
      .map(({ documentId }) => documentId)
      .sort();
  const having = (all: readonly (readonly [id: string, text: string])[]) =>
    all
      .filter(([, text]) => hasWord(text, word))
      .map(([id]) => id)
      .sort();
  same(
    `documents of ${tags ?? 'any tag'} found by the word ${word} as of ${at}`,
    foundBy(({ explain }) => explain.coverage > 0),
    having([...done].map(([id, text]) => [id, passages.left(id, text)])),
  );
  const whole = [...done].filter(([id]) => passages.of(id).length === 0);
  const names = new Set(whole.map(([id]) => id));
  same(
    `documents of ${tags ?? 'any tag'} found by the vector of ${word} as of ${at}`,
    foundBy(({ explain }) => (explain.cosine ?? 0) > SIMILAR).filter((id) => names.has(id)),
    having(whole),
  );
  for (const { documentId, chunks } of results) {
    const then = passages.left(documentId, done.get(documentId) ?? '');
    for (const { content } of chunks) {
      same(`${documentId} had the chunk that was found as of ${at}: ${content}`, isPartOf(then, content), true);
    }
  }
}

/** Of memories that said the same, one is listed: another one, if that is deleted today. */
function compareLists(at: string, found: readonly PastMemory[], wanted: readonly PastMemory[]): void {
  const texts = (memories: readonly PastMemory[]) => [...new Set(textsOf(memories))].sort();
  same(`the texts of memories as of ${at}`, texts(found), texts(wanted));
  const isOne = ({ memory }: PastMemory) =>
    [found, wanted].every((some) => some.filter((one) => one.memory === memory).length === 1);
  same(`the memories as of ${at}`, found.filter(isOne), wanted.filter(isOne));
}

/** Those that were recorded directly. */
async function listMemories(
  client: Client,
  containerTags: readonly string[],
  more: object,
): Promise<readonly PastMemory[]> {
  const asked = { containerTags, filters: SAID, includeForgotten: true, limit: 1_000, ...more };
  const { body } = await client.post(`${MEMORIES_PATH}/list`, asked);
  const memories = (body.memoryEntries as readonly PastMemory[]).map(({ id, memory, version, rootMemoryId }) => ({
    ...{ id, memory, version, rootMemoryId },
  }));
  return memories.sort((a, b) => (a.id < b.id ? -1 : 1));
}

/** By the words of the vocabulary. Of those with the same text, one is found. */
async function findMemories(
  client: Client,
  containerTags: readonly string[],
  asOf: string,
): Promise<readonly string[]> {
  const question = { containerTags, q: WORDS.join(' '), threshold: 0, limit: 100, filters: SAID, asOf };
  const { body } = await client.post('/v4/search', { ...question, include: { forgottenMemories: true } });
  return [...textsOf(body.results)].sort();
}

const textsOf = (memories: readonly Pick<PastMemory, 'memory'>[]): readonly string[] =>
  memories.map(({ memory }) => memory);

async function list(client: Client, more: object): Promise<readonly ListedDocument[]> {
  const { body } = await client.post('/v3/documents/list', { limit: 1_000, includeContent: true, ...more });
  const documents = (body.memories as readonly Readonly<Record<string, unknown>>[]).map(
    ({ id, customId, status, containerTags, metadata, filepath, title, type, content, createdAt }) => ({
      ...{ id: id as string, customId, status, containerTags, metadata, filepath, title, type, content, createdAt },
    }),
  );
  return documents.sort((a, b) => (a.id < b.id ? -1 : 1));
}
