import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { contentHash, err, ok, readScope } from '#platform/kernel';
import { type EventStore, systemCause } from '#ports/event-store';
import type { NewDocument } from './add-document/add-document.command.ts';
import { newDocument, OWNER, openUseCases, principalOf, type UseCases } from './testing.ts';

const BEFORE = 'The ferry leaves the harbour at nine in the morning, every day but Sunday.';
const ALL = 9;
const DAY_MS = 24 * 60 * 60 * 1000;

let useCases: UseCases;
let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mneme-keys-'));
  useCases = await openUseCases();
});
afterEach(async () => {
  await useCases.close();
  await rm(folder, { recursive: true });
});

const named = (details: Partial<NewDocument> = {}) =>
  newDocument(['a'], { customId: 'x', content: BEFORE, ...details });
const add = (document: NewDocument, key: string | null = 'key') => useCases.add(OWNER, document, key);
const found = async () => {
  const document = await useCases.documents.find(readScope(OWNER), 'x');
  if (!document.ok) throw new Error(document.error);
  return document.value;
};
const text = async () => useCases.texts.content(await found());

/** Expects that a request is answered as before, and appends nothing. */
async function expectRepeated(request: () => Promise<unknown>, answer: unknown): Promise<void> {
  const head = await useCases.head();
  expect(await request()).toEqual(answer);
  expect(await useCases.head()).toBe(head);
}

const file = async (content: string) => {
  const path = join(folder, 'a.txt');
  await writeFile(path, content);
  const sha256 = contentHash(content);
  return { path, size: content.length, sha256, name: 'a.txt', contentType: null, fileType: null, mimeType: null };
};

/** Requests of each route for a document that exists. */
const REQUESTS: readonly (readonly [string, () => Promise<unknown>])[] = [
  ['a delta', () => add(named({ content: 'A delta.' }))],
  ['the same text', () => add(named())],
  ['metadata', () => add(named({ metadata: { mood: 'old' } }))],
  ['a batch', () => useCases.addAll(OWNER, [named({ content: 'A delta.' }), named(), newDocument(['a'])], 'key')],
  [
    'messages',
    async () => {
      const messages = [{ role: 'user', parts: [{ text: 'Is it late?' }] }] as const;
      const conversation = { conversationId: 'x', messages, tags: ['a'], metadata: null };
      return useCases.save(OWNER, conversation, { idempotencyKey: 'key' });
    },
  ],
];

describe.each(REQUESTS)('given an Idempotency-Key that was sent with %s for an existing document', (_, request) => {
  beforeEach(() => useCases.added(['a'], { customId: 'x', content: BEFORE }));

  test('then it changes nothing after seventeen other changes, a restart, and with a full backlog', async () => {
    const answer = await request();
    for (let i = 0; i < 17; i += 1) await add(named({ content: `Another delta: ${i}`, metadata: { i } }), null);
    useCases.restart();
    useCases.limitBacklog(0);
    await expectRepeated(request, answer);
    expect((await found()).metadata).toEqual({ i: 16 });
  });

  test('then the document does not come back after its deletion', async () => {
    const answer = await request();
    await useCases.deletion.delete({ ...OWNER, access: 'write' }, systemCause(), (await found()).id);
    await expectRepeated(request, answer);
    await expect(found()).rejects.toThrow('not_found');
  });

  test('then it is carried out once, if it is sent four times at once', async () => {
    const answers = await Promise.all(Array.from({ length: 4 }, request));
    for (const answer of answers) expect(answer).toEqual(answers[0]);
    expect((await text())?.split('A delta.').length).toBeLessThanOrEqual(2);
    await expectRepeated(request, answers[0]);
  });
});

test('the answer is the first one, also when the document has been processed since', async () => {
  const first = await add(newDocument(['a']));
  await useCases.append((first.ok && first.value.id) || '', {
    ...{ type: 'ProcessingFailed', contentVersion: 1, stage: 'extracting', code: 'extraction_failed' },
    payload: { message: 'unreadable' },
  });
  expect(first).toMatchObject(ok({ status: 'queued' }));
  await expectRepeated(() => add(newDocument(['a'])), first);
});

test('an upload for an existing document is remembered, and another name of the file is another request', async () => {
  await useCases.added(['a'], { customId: 'x', content: BEFORE });
  const content = await file('A file.');
  const answer = await add(named({ content }));
  await add(named({ content: 'Another text, which takes the place of the file.', metadata: { i: 1 } }), null);
  await expectRepeated(() => add(named({ content })), answer);
  expect(await add(named({ content: { ...content, name: 'b.txt' } }))).toEqual(err('idempotency_key_reused'));
});

test('a caller without the tags of the document is refused, and another request is too', async () => {
  await useCases.added(['a'], { customId: 'x', content: BEFORE });
  const document = named({ content: 'A delta.' });
  await add(document);
  expect(await useCases.add(principalOf(['b']), { ...document, tags: ['b'] }, 'key')).toEqual(err('forbidden'));
  expect(await add({ ...document, content: 'Another delta.' })).toEqual(err('idempotency_key_reused'));
});

test('after a day the key is free', async () => {
  await useCases.added(['a'], { customId: 'x', content: BEFORE });
  for (let i = 1; i <= 2; i += 1) {
    await add(named({ content: 'A delta.' }));
    expect((await text())?.split('A delta.')).toHaveLength(i + 1);
    useCases.clock.advance(DAY_MS + 1);
  }
});

test('a refused item of a batch is refused again, for the same reason', async () => {
  const items = [newDocument(['a']), newDocument(['a'], { content: ' ' })];
  const answer = await useCases.addAll(OWNER, items, 'key');
  expect(answer).toMatchObject(ok([ok({ status: 'queued' }), err('empty_content')]));
  await expectRepeated(() => useCases.addAll(OWNER, items, 'key'), answer);
});

describe('given an engine without transactions over streams', () => {
  /** The process ends after the given number of streams of each chain. */
  const ending = (streams: () => number): Partial<EventStore> => ({
    async appendTogether(chains) {
      const done = chains.map((chain) => chain.slice(0, streams())).filter((chain) => chain.length > 0);
      const results = done.length > 0 ? await useCases.store.appendTogether(done) : [];
      if (streams() < ALL) throw new Error('gone');
      return results;
    },
  });

  test.each([
    ['a delta', named({ content: 'A delta.' })],
    ['metadata', named({ metadata: { mood: 'old' } })],
  ])('then %s that was recorded without its answer is not recorded again after other changes', async (_, document) => {
    await useCases.close();
    let streams = ALL;
    useCases = await openUseCases({ behaviour: ending(() => streams) });
    const id = await useCases.added(['a'], { customId: 'x', content: BEFORE });
    streams = 1;
    await expect(add(document)).rejects.toThrow('gone');
    streams = ALL;
    for (let i = 0; i < 17; i += 1) await add(named({ content: `Another: ${i}`, metadata: { i } }), null);
    const head = await useCases.head();
    expect(await add(document)).toMatchObject(ok({ id }));
    expect(await useCases.head()).toBe(head);
  });

  test('then documents of a batch that were removed after an error are added again', async () => {
    await useCases.close();
    let fails = true;
    useCases = await openUseCases({
      behaviour: {
        async appendTogether(chains) {
          if (!fails) return useCases.store.appendTogether(chains);
          const [first] = await useCases.store.appendTogether(chains.slice(0, 1));
          return chains.map((_, i) => (i === 0 && first) || { ok: false, conflict: null, error: new Error('gone') });
        },
      },
    });
    const items = [newDocument(['a']), named()];
    await expect(useCases.addAll(OWNER, items, 'key')).rejects.toThrow('gone');
    fails = false;
    const idsAdded = async () => {
      const answer = await useCases.addAll(OWNER, items, 'key');
      return ((answer.ok && answer.value) || []).map((item) => (item.ok && item.value.id) || '');
    };
    const ids = await idsAdded();
    for (const id of ids) expect((await useCases.documents.load(readScope(OWNER), id)).status).toBe('live');
    await expectRepeated(idsAdded, ids);
  });
});
