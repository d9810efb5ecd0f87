import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Supermemory from 'supermemory';
import { Mneme, OWNER_KEY } from './support/mneme.ts';

/** Requests that the public client sends again because the answer was lost. */

let folder: string;
let mneme: Mneme;
let drops = 0;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mneme-retries-'));
  mneme = await Mneme.start({ folder });
});
afterAll(async () => {
  await mneme.kill();
  await rm(folder, { recursive: true, force: true });
});

/** A client that loses the answers to its first requests, after the server has sent them. */
function losing(count: number, beforeRetry: () => Promise<void> = async () => {}): Supermemory {
  drops = count;
  return new Supermemory({
    apiKey: OWNER_KEY,
    baseURL: 'http://mneme.invalid',
    fetch: async (url, init) => {
      const { pathname } = new URL(String(url));
      const answer = await fetch(mneme.url + pathname, init);
      if (drops === 0) return answer;
      drops -= 1;
      await answer.text();
      await beforeRetry();
      throw new TypeError('the connection was lost');
    },
  });
}

async function listed(containerTag: string): Promise<{ id: string }[]> {
  return (await mneme.post<{ memories: { id: string }[] }>('/v3/documents/list', { containerTag })).body.memories;
}

test('an add makes one document, also if two answers are lost', async () => {
  const { id } = await losing(2).add({ content: 'Only once.', containerTag: 'add', metadata: { a: 1 } });
  expect(drops).toBe(0);
  expect(await listed('add')).toMatchObject([{ id }]);
});

test('an upload makes one document', async () => {
  const file = new File(['name,city\nAda,Oslo\n'], 'people.csv');
  const { id } = await losing(1).documents.uploadFile({ file, containerTag: 'upload' });
  expect(drops).toBe(0);
  expect(await listed('upload')).toMatchObject([{ id }]);
});

test('the retry of a delta appends it once', async () => {
  const first = await mneme.add('The first turn.', { customId: 'lost', containerTag: 'delta' });
  const { id } = await losing(2).add({ content: 'The second turn.', customId: 'lost', containerTag: 'delta' });
  expect(id).toBe(first);
  expect((await mneme.get(`/v3/documents/${id}`)).body.content).toBe('The first turn.\nThe second turn.');
});

test('an add and a delta are recognised after a restart between the attempts', async () => {
  const restart = async () => {
    await mneme.kill();
    mneme = await Mneme.start({ folder });
  };
  const { id } = await losing(1, restart).add({ content: 'Across a restart.', containerTag: 'restart' });
  expect(await listed('restart')).toMatchObject([{ id }]);
  await mneme.add('One.', { customId: 'restarted' });
  await losing(1, restart).add({ content: 'Two.', customId: 'restarted' });
  expect((await mneme.get('/v3/documents/restarted')).body.content).toBe('One.\nTwo.');
});

test('an equal add that is no retry makes another document', async () => {
  await mneme.add('Twice.', { containerTag: 'twice' });
  await mneme.add('Twice.', { containerTag: 'twice' });
  expect(await listed('twice')).toHaveLength(2);
});
