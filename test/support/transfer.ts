import { createHash } from 'node:crypto';
import { eventually, type Mneme } from './mneme.ts';

/** A story of documents that are carried from one installation to another, on any engines. */

export interface Carried {
  /** By customId or id, as `GET` answers. */
  readonly documents: ReadonlyMap<string, Record<string, unknown>>;
  readonly memories: ReadonlyMap<string, string>;
}

const LONG = `It starts here. ${'The caravan crosses another dune, and the camels rest at noon. '.repeat(800)}`;

export const TALK = [
  { role: 'user', content: 'I moved to Tromsø.' },
  { role: 'assistant', content: 'Noted.', toolCalls: [{ id: 'a', blob: 'x', sha256: 'y' }] },
];

export async function converse(mneme: Mneme, messages: readonly object[]): Promise<string> {
  const call = { conversationId: 'talk', messages, containerTags: ['talks'] };
  const { status, body } = await mneme.post<{ id: string }>('/v4/conversations', call);
  if (status !== 200) throw new Error(`POST /v4/conversations returned ${status}: ${JSON.stringify(body)}`);
  return body.id;
}

/** Adds five documents, and one that it deletes. */
export async function addDocuments(mneme: Mneme): Promise<void> {
  await mneme.addAndWait('The okapi hides.\u2028It has stripes. \uD800', {
    ...{ customId: 'okapi/1', containerTag: 'zoo', metadata: { year: 2024, blob: 'a/b/c' } },
  });
  await mneme.addAndWait(LONG, { customId: 'long', containerTag: 'desert' });
  await mneme.addAndWait('user: I like figs.', { customId: 'chat', containerTag: 'zoo' });
  await mneme.addAndWait('user: I like figs.\nassistant: Noted.', { customId: 'chat' });
  await mneme.settled(await converse(mneme, TALK));
  const form = new FormData();
  form.append('file', new Blob(['name,city\nAda,Oslo\nBo,Turku\n'], { type: 'text/csv' }), 'people.csv');
  form.append('containerTags', 'files');
  const { body } = await mneme.request('POST', '/v3/documents/file', form);
  await mneme.settled(body.id as string);
  const deleted = await mneme.addAndWait('A numbat left.');
  await mneme.request('DELETE', `/v3/documents/${deleted}`);
}

/** Waits until five documents are listed and done. Reads them, and the id of the best memory for some questions. */
export async function documentsOf(mneme: Mneme): Promise<Carried> {
  const listed = await eventually(async () => {
    const { body } = await mneme.post<{ memories: { id: string }[] }>('/v3/documents/list', { limit: 100 });
    return body.memories.length === 5 ? body.memories : null;
  });
  const documents = new Map<string, Record<string, unknown>>();
  for (const { id } of listed) {
    const { content, ...document } = await mneme.settled(id);
    documents.set(id, { ...document, content: createHash('sha256').update(JSON.stringify(content)).digest('hex') });
  }
  const memories = new Map<string, string>();
  for (const q of ['okapi stripes', 'caravan camels', 'figs', 'Turku', 'moved to Tromsø']) {
    const found = await mneme.post<{ results: { id: string }[] }>('/v4/search', { q, threshold: 0 });
    memories.set(q, found.body.results[0]?.id ?? 'none');
  }
  return { documents, memories };
}
