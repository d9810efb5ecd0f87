import { setTimeout as pause } from 'node:timers/promises';
import { type Client, customIdPath, documentPath, tagPath } from './client.ts';
import { compareMemories } from './compare-memories.ts';
import { comparePassages } from './compare-passages.ts';
import { remember } from './compare-past.ts';
import { compareSearch } from './compare-search.ts';
import type { Model, ModelDocument } from './contract/model.ts';
import { partsOf } from './contract/text.ts';
import { hasWord, WORDS } from './contract/words.ts';
import { Difference, same, samePassages } from './same.ts';

/** Compares everything that a caller can read with the model. */

const PAUSE_MS = 20;
/** Lists leave out tags that begin with this. */
const PROJECT = 'sm_project_';

/** Waits until everything is processed and shown. @throws Difference that stays */
export async function compare(model: Model, client: Client): Promise<void> {
  const { target } = client;
  for (let end = Date.now() + target.patienceMs; ; await pause(PAUSE_MS)) {
    const { lives } = target;
    try {
      await compareNow(model, client);
      // What a process showed that has ended since proves nothing about the next one.
      if (lives !== target.lives) continue;
      client.comparedLives = lives;
      return await remember(client);
    } catch (error) {
      if (!(error instanceof Difference)) throw error;
      if (lives !== target.lives) end = Date.now() + target.patienceMs;
      else if (Date.now() > end) throw error;
    }
  }
}

/** Checks at once, and not a moment later, that nothing finds deleted documents. */
export async function expectGone(client: Client, documents: readonly ModelDocument[]): Promise<void> {
  for (const { id, content } of documents) {
    const word = WORDS.find((one) => hasWord(content, one)) ?? WORDS[0];
    const [read, listed, found] = await Promise.all([
      client.get(documentPath(id)),
      client.post('/v3/documents/list', { limit: 1_000 }),
      client.post('/v3/search', { q: word, limit: 100 }),
    ]);
    same(`status of the deleted document ${id}`, read.status, 404);
    same(`deleted ${id} in the list`, ids(listed.body.memories).includes(id), false);
    same(`deleted ${id} in a search`, ids(found.body.results).includes(id), false);
  }
}

async function compareNow(model: Model, client: Client): Promise<void> {
  // One after the other, so that what is shown late is asked for late.
  for (const document of model.documents) await compareDocument(model, document, client);
  await Promise.all([compareLists(model, client), compareTags(model, client), compareDeleted(model, client)]);
  await compareMemories(model.memories, client);
  const passages = await comparePassages(model, client);
  await Promise.all(WORDS.map((word) => compareSearch(model, client, passages, word)));
}

async function compareDocument(model: Model, document: ModelDocument, client: Client): Promise<void> {
  const { id, customId, tags, metadata, filepath, content, file, isUnreadable } = document;
  const { status, body } = await client.get(documentPath(id));
  same(`status code of ${id}`, status, 200);
  const { processingError, ...record } = body;
  const wanted = {
    ...{ id, customId, containerTags: tags, metadata, filepath, status: model.statusOf(document) },
    content: isUnreadable ? null : content,
  };
  same(`document ${id} (${JSON.stringify(processingError)})`, picked(record, wanted), wanted);
  if (customId !== null) for (const tag of [null, ...tags]) await compareAddressed(model, customId, tag, client);
  await compareChunks(document, wanted.status === 'done', client);
  if (file === null) return;
  const link = await client.get(`${documentPath(id)}/file-url`);
  same(`link to the file of ${id}`, link.status, 200);
  const { pathname } = new URL(link.body.url);
  same(`file of ${id}`, (await client.get(pathname)).body, file);
}

/** Several documents with a customId are told apart by a tag; where that does not say which one is meant, all are named. */
async function compareAddressed(model: Model, customId: string, tag: string | null, client: Client): Promise<void> {
  const { status, body } = await client.get(customIdPath(customId, tag));
  const id = model.addressed(customId, tag)?.id;
  same(`id of ${customId}${tag === null ? '' : ` in ${tag}`}`, body.id, id);
  if (id === undefined) same(`refusal of ${customId}`, [status, body.code], [404, 'ambiguous_custom_id']);
  if (tag !== null) return;
  const wanted = ids(model.named(customId));
  const unnamed = id === undefined ? wanted.filter((one) => !body.details.includes(one)) : [];
  same(`documents with the customId ${customId} that are not named`, unnamed, []);
  const all = await client.post('/v3/documents/documents/by-ids', { ids: [customId], by: 'customId' });
  // Documents of one batch are created in any order.
  same(`documents by the customId ${customId}`, ids(all.body.documents).toSorted(), wanted.toSorted());
}

/** Chunks cover the text in order, do not cross its parts, and keep their ids whatever else happens to the document. */
async function compareChunks({ id, content, borders }: ModelDocument, isDone: boolean, client: Client): Promise<void> {
  const { body } = await client.get(`${documentPath(id)}/chunks`);
  const chunks = body.chunks as readonly { readonly id: string; readonly position: number; readonly content: string }[];
  const texts = chunks.map((chunk) => chunk.content);
  if (isDone) samePassages(`chunks of ${id}`, texts, partsOf(content, borders));
  const counts = new Map<string, number>();
  for (const [i, chunk] of chunks.entries()) {
    same(`position of a chunk of ${id}`, chunk.position, i);
    const before = counts.get(chunk.content) ?? 0;
    counts.set(chunk.content, before + 1);
    const key = JSON.stringify([id, chunk.content, before]);
    same(`id of the chunk ${chunk.content}`, chunk.id, client.chunkIds.get(key) ?? chunk.id);
    if (isDone) client.chunkIds.set(key, chunk.id);
  }
}

async function compareLists(model: Model, client: Client): Promise<void> {
  const list = async (selector: object, fits: (document: ModelDocument) => boolean) => {
    const answer = await client.post('/v3/documents/list', { limit: 1_000, includeContent: true, ...selector });
    const wanted = model.documents.filter(fits).map((document) => ({
      ...{ id: document.id, customId: document.customId, status: model.statusOf(document) },
      ...{ containerTags: document.tags.filter((tag) => !tag.startsWith(PROJECT)) },
      ...{ metadata: document.metadata, filepath: document.filepath },
      content: document.isUnreadable ? null : document.content,
    }));
    const listed = (answer.body.memories as object[]).map((one) => picked(one, SHAPE));
    same(`list of ${JSON.stringify(selector)}`, byId(listed), byId(wanted));
    same(`total of ${JSON.stringify(selector)}`, answer.body.pagination.totalItems, wanted.length);
  };
  await list({}, () => true);
  for (const tag of model.tags()) await list({ containerTags: [tag] }, ({ tags }) => tags.includes(tag));
  await list({ status: 'failed' }, (one) => model.statusOf(one) === 'failed');
  await list({ filters: { AND: [{ key: 'kind', value: 'note' }] } }, ({ metadata }) => metadata?.kind === 'note');
  await list({ filepath: '/a/' }, ({ filepath }) => filepath?.startsWith('/a/') === true);
}

const SHAPE = { id: 0, customId: 0, status: 0, containerTags: 0, metadata: 0, filepath: 0, content: 0 };

async function compareTags(model: Model, client: Client): Promise<void> {
  const { body } = await client.get('/v3/container-tags/list');
  const listed = (body as Record<string, unknown>[]).map(({ containerTag, name, documentCount, mergeStatus }) => ({
    ...{ containerTag, name, documentCount, mergeStatus },
  }));
  const wanted = model.tags().map((tag) => ({
    ...{ containerTag: tag, name: model.tagNames.get(tag) ?? tag, mergeStatus: undefined },
    documentCount: model.documents.filter(({ tags }) => tags.includes(tag)).length,
  }));
  const sorted = (tags: readonly { readonly containerTag?: unknown }[]) =>
    [...tags].sort((a, b) => (String(a.containerTag) < String(b.containerTag) ? -1 : 1));
  same('container tags', sorted(listed), sorted(wanted));
  for (const tag of model.tagNames.keys()) {
    same(`name of ${tag}`, (await client.get(tagPath(tag))).body.name, model.tagNames.get(tag));
  }
}

async function compareDeleted(model: Model, client: Client): Promise<void> {
  for (const id of model.deleted) {
    for (const part of ['', '/chunks', '/file-url']) {
      same(`status of the deleted ${id}${part}`, (await client.get(`${documentPath(id)}${part}`)).status, 404);
    }
    const { body } = await client.get(`${documentPath(id)}/events`);
    same(`last event of the deleted ${id}`, body.events?.at(-1)?.type, 'DocumentDeleted');
  }
}

const picked = (record: object, like: object): object =>
  Object.fromEntries(Object.keys(like).map((key) => [key, (record as Record<string, unknown>)[key]]));
const ids = (records: readonly { readonly id: string }[]): string[] => records.map(({ id }) => id);
const byId = (records: readonly object[]): object[] =>
  [...records].sort((a, b) => ((a as { id: string }).id < (b as { id: string }).id ? -1 : 1));
