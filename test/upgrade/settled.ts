import { eventually, type Mneme } from '../support/mneme.ts';
import { CHAT, CSV, EMPTY_HTML, HARBOUR, HTML, JSON_FILE, longText, MARKDOWN, PDF } from './texts.ts';

/** Tags whose documents are done, failed or deleted when the state is written. */
export const SETTLED_TAGS = ['harbour', 'crew', 'chats', 'workshop', 'files', 'long', 'failed', 'changed'] as const;

/** Of the request that made a document under an Idempotency-Key. */
export const IDEMPOTENT = {
  key: 'b2f0f2e6-3c55-4f19-9a1d-0d6f2f0d7a11',
  body: { content: 'The almanac is printed once.', containerTag: 'changed' },
} as const;

export interface Settled {
  readonly ids: readonly string[];
  readonly customIds: readonly string[];
  /** A document with a blob of its own. */
  readonly lostAndFound: string;
}

/** Adds documents of every kind and awaits the end of their work. */
export async function addSettled(mneme: Mneme): Promise<Settled> {
  const ids: string[] = [];
  const add = async (content: string, fields: object = {}): Promise<string> => {
    const id = await mneme.add(content, fields);
    await mneme.settled(id);
    if (!ids.includes(id)) ids.push(id);
    return id;
  };
  const file = async (name: string, content: string, tag: string, fields: Record<string, string> = {}) => {
    const id = await upload(mneme, name, content, tag, fields);
    await mneme.settled(id);
    if (!ids.includes(id)) ids.push(id);
    return id;
  };

  for (const [i, text] of HARBOUR.entries()) {
    await add(text, {
      containerTags: i % 3 === 0 ? ['harbour', 'crew'] : ['harbour'],
      metadata: { kind: i % 2 === 0 ? 'note' : 'log', year: 2018 + i, vip: i === 4 },
      ...(i % 2 === 0 && { filepath: `/harbour/${i}.txt` }),
      ...(i % 4 === 0 && { documentDate: `2024-0${i + 1}-17` }),
    });
  }
  const chat = { customId: 'chat/attic', containerTag: 'chats' };
  await add(CHAT.slice(0, 2).join('\n'), chat);
  // The whole once more, grown; then a part behind it.
  await add(CHAT.slice(0, 3).join('\n'), chat);
  await add(CHAT[3], { ...chat, metadata: { speakers: 2 } });

  await file('bees.html', HTML, 'files');
  await file('berths.csv', CSV, 'files');
  await file('orchard.json', JSON_FILE, 'files', { metadata: JSON.stringify({ kind: 'list' }) });
  await file('kiln.md', MARKDOWN, 'files', { customId: 'kiln' });
  await add('Passages only: the weir is opened by two people.', { containerTag: 'files', taskType: 'superrag' });

  const lostAndFound = await add(longText('The mill stands by the weir.'), {
    containerTag: 'long',
    taskType: 'superrag',
  });
  await add(longText('Of another mill the wheel was sold.', 31_000), { containerTag: 'long', taskType: 'superrag' });

  await add('http://192.0.2.1/never-fetched.html', { containerTag: 'failed' });
  await file('plan.pdf', PDF, 'failed');
  await file('empty.html', EMPTY_HTML, 'failed', { customId: 'empty' });
  const retried = await add('http://192.0.2.1/retried.html', { containerTag: 'failed' });
  await retryAndAwait(mneme, retried);

  await add('The old recipe: salt and patience.', { customId: 'recipe', containerTag: 'changed' });
  await file('recipe.md', '# Recipe\n\nSalt, patience and a lid.\n', 'changed', { customId: 'recipe' });
  await add('Nothing of this text changes.', { customId: 'tags', containerTag: 'changed', metadata: { a: 1 } });
  await add('Nothing of this text changes.', {
    customId: 'tags',
    containerTags: ['changed', 'crew'],
    metadata: { b: 2 },
  });
  const { body } = await mneme.post<{ id: string }>('/v3/documents', IDEMPOTENT.body, {
    'idempotency-key': IDEMPOTENT.key,
  });
  await mneme.settled(body.id);
  ids.push(body.id);

  for (const id of [
    await add('A secret that is forgotten.', { containerTag: 'changed' }),
    await add(longText('A long secret that is forgotten.'), { containerTag: 'changed', taskType: 'superrag' }),
    await add('The first one under this name.', { containerTag: 'changed', customId: 'reborn' }),
    await file('gone.csv', CSV, 'changed'),
  ]) {
    await mneme.request('DELETE', `/v3/documents/${id}`);
  }
  await add('The second one under this name.', { containerTag: 'changed', customId: 'reborn' });

  return { ids, customIds: ['chat/attic', 'kiln', 'empty', 'recipe', 'tags', 'reborn', 'chat/type'], lostAndFound };
}

async function retryAndAwait(mneme: Mneme, id: string): Promise<void> {
  await mneme.post(`/v3/documents/${id}/retry`);
  await eventually(async () => {
    const { body } = await mneme.get<{ events: { type: string }[] }>(`/v3/documents/${id}/events`);
    return body.events.filter(({ type }) => type === 'ProcessingFailed').length === 2 || null;
  });
}

export async function upload(
  mneme: Mneme,
  name: string,
  content: string,
  tag: string,
  fields: Readonly<Record<string, string>> = {},
): Promise<string> {
  const form = new FormData();
  form.append('file', new Blob([content]), name);
  form.append('containerTags', tag);
  for (const [field, value] of Object.entries(fields)) form.append(field, value);
  return (await mneme.request<{ id: string }>('POST', '/v3/documents/file', form)).body.id;
}
