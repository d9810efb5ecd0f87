import { err, ok, type Result, readScope } from '#platform/kernel';
import type { ChainResult, StorageFullError } from '#ports/event-store';
import type { NewDocument } from '../add-document/add-document.command.ts';
import { newDocument, OF_OTHER_ORGANIZATION, OWNER, openUseCases, principalOf, type UseCases } from '../testing.ts';

let useCases: UseCases;
beforeEach(async () => {
  useCases = await openUseCases();
});
afterEach(() => useCases.close());

const FORBIDDEN = err('forbidden');

/** The values of a batch of which nothing was refused. */
async function addAll(...args: Parameters<UseCases['addAll']>) {
  const added = accepted(await useCases.addAll(...args));
  return added.map((item) => accepted(item));
}

const idsOf = (added: readonly { readonly id: string }[]) => added.map(({ id }) => id);

function accepted<T>(result: Result<T, unknown>): T {
  if (!result.ok) throw new Error(`refused: ${result.error}`);
  return result.value;
}

const document = (content: string, customId: string | null = null, tag = 'a') =>
  newDocument([tag], { content, customId });

async function contentOf(id: string): Promise<string | null> {
  const found = accepted(await useCases.documents.find({ ...OWNER, tags: 'all', access: 'read' }, id));
  return useCases.contents.of(found);
}

describe('given new documents', () => {
  test('then each is queued under its own id, in the order of the request', async () => {
    const added = await addAll(OWNER, [document('one'), document('two', 'b'), document('one')]);
    expect(added.map(({ status }) => status)).toEqual(['queued', 'queued', 'queued']);
    expect(await Promise.all(added.map(({ id }) => contentOf(id)))).toEqual(['one', 'two', 'one']);
    expect(new Set(added.map(({ id }) => id)).size).toBe(3);
  });

  test('then they are recorded oldest first', async () => {
    const dated = (documentDate: string | null) => newDocument(['a'], { documentDate });
    const added = await addAll(OWNER, [dated(null), dated('2025-02-01'), dated('2024-02-01')]);
    const recorded = (await useCases.log()).filter(({ type }) => type === 'DocumentAdded');
    expect(recorded.map(({ stream }) => stream.split('_')[1])).toEqual([added[2]?.id, added[1]?.id, added[0]?.id]);
  });
});

describe('given items with one customId', () => {
  test('then they make one document and are applied in order', async () => {
    const added = await addAll(OWNER, [document('one', 'x'), document('other'), document('two', 'x')]);
    expect(added[2]?.id).toBe(added[0]?.id);
    expect(await contentOf('x')).toBe('one\ntwo');
    expect(await useCases.eventTypes(added[0]?.id as string)).toEqual(['DocumentAdded', 'ContentAppended']);
  });

  test('then they are applied to the document that has it', async () => {
    const id = await useCases.added(['a'], { content: 'zero', customId: 'x' });
    const added = await addAll(OWNER, [document('one', 'x'), document('two', 'x')]);
    expect(added).toEqual([
      { id, status: 'queued', isNew: false },
      { id, status: 'queued', isNew: false },
    ]);
    expect(await contentOf(id)).toBe('zero\none\ntwo');
    const state = await useCases.documents.load({ ...OWNER, access: 'read' }, id);
    expect(state).toMatchObject({ tags: ['a'], contentVersion: 2 });
  });

  test('and other tags, then each set of tags has a document', async () => {
    const id = await useCases.added(['a'], { content: 'zero', customId: 'x' });
    const items = [document('one', 'x', 'b'), document('two', 'x'), document('three', 'x', 'b')];
    const added = await addAll(OWNER, items);
    expect(added.map(({ isNew }) => isNew)).toEqual([true, false, false]);
    const [first, second, third] = idsOf(added) as [string, string, string];
    expect([second, third]).toEqual([id, first]);
    expect(await Promise.all([id, first].map(contentOf))).toEqual(['zero\ntwo', 'one\nthree']);
  });

  test('of which one is a URL that the document did not come from, then it is a text', async () => {
    const url = 'https://site.test/a';
    const [{ id } = { id: '' }] = await addAll(OWNER, [document('one', 'x'), document(url, 'x'), document('two', 'x')]);
    expect(await contentOf(id)).toBe(`one\n${url}\ntwo`);
    await useCases.add(OWNER, { ...newDocument(['a'], { customId: 'x' }), content: 'https://site.test/b' });
    expect(await contentOf(id)).toBe(`one\n${url}\ntwo\nhttps://site.test/b`);
    expect(await useCases.documents.load({ ...OWNER, access: 'read' }, id)).toMatchObject({ url: null });
  });

  test('of a page with its URL among them, then it is one page, and every text waits until it is read', async () => {
    const url = 'https://site.test/a';
    const [{ id } = { id: '' }] = await addAll(OWNER, [document(url, 'page')]);
    await addAll(OWNER, [
      document('HTTPS://Site.test/a', 'page'),
      document('one', 'page'),
      document('https://site.test/b', 'page'),
    ]);
    expect(await useCases.documents.load({ ...OWNER, access: 'read' }, id)).toMatchObject({
      ...{ content: { page: url }, url, contentVersion: 1 },
      waiting: [{ text: { inline: 'one\nhttps://site.test/b' } }],
    });
  });

  test('of which only the last is a file of the file tool, then it is added to a new document', async () => {
    const [one, two] = [document('one', 'tool'), document('two', 'tool')];
    await addAll(OWNER, [one, { ...two, metadata: { claude_memory_type: 'file' } }]);
    expect(await contentOf('tool')).toBe('one\ntwo');
  });

  test('that several batches and adds name at once, then there is one document with all texts', async () => {
    // Unlike each other, so that none is taken for an edited version of another.
    const texts = Array.from('abcdefghijkl', (letter) => `${letter.repeat(20)}.`);
    const added = await Promise.all([
      ...texts.slice(0, 8).map((text) => addAll(OWNER, [document(text, 'x'), document(`more of ${text}`, 'y')])),
      ...texts.slice(8).map(async (text) => [accepted(await useCases.add(OWNER, document(text, 'x')))]),
    ]);
    expect(new Set(added.map(([first]) => first?.id)).size).toBe(1);
    const content = await contentOf('x');
    for (const text of texts) expect(content).toContain(text);
  });

  test('that was deleted, then a new document has it', async () => {
    const id = await useCases.added(['a'], { customId: 'x' });
    await useCases.append(id, { type: 'DocumentDeleted', payload: null });
    const [added] = await addAll(OWNER, [document('new', 'x')]);
    expect(added).toMatchObject({ status: 'queued' });
    expect(added?.id).not.toBe(id);
  });
});

describe('given a caller with limited tags', () => {
  test('then an item with another tag is forbidden and the others are added', async () => {
    const items = [document('one'), document('two', null, 'b'), newDocument(['a', 'b']), document('three', 'x')];
    const added = accepted(await useCases.addAll(principalOf(['a']), items));
    expect(added).toMatchObject([ok({ status: 'queued' }), FORBIDDEN, FORBIDDEN, ok({ status: 'queued' })]);
  });

  test('then items with the customId of a document that it may not write begin another one', async () => {
    const id = await useCases.added(['b'], { customId: 'x' });
    const principal = principalOf(['a', 'b'], { writableTags: ['a'] });
    const added = accepted(await useCases.addAll(principal, [document('1', 'x'), document('2'), document('3', 'x')]));
    expect(added.map((item) => accepted(item).isNew)).toEqual([true, true, false]);
    expect(await useCases.eventTypes(id)).toEqual(['DocumentAdded']);
  });

  test('then a batch of which nothing is permitted appends nothing, with an Idempotency-Key or without', async () => {
    const before = await useCases.head();
    for (const key of [null, 'key']) {
      expect(await useCases.addAll(principalOf(['b']), [document('one'), document('two', 'x')], key)).toEqual(
        ok([FORBIDDEN, FORBIDDEN]),
      );
    }
    expect(await useCases.head()).toBe(before);
  });

  test('of another organization, then customIds are its own', async () => {
    const id = await useCases.added(['a'], { customId: 'x' });
    const [added] = await addAll(OF_OTHER_ORGANIZATION, [document('one', 'x')]);
    expect(added?.id).not.toBe(id);
  });
});

describe('given an Idempotency-Key', () => {
  const items = [document('one'), document('two', 'x'), document('three', 'x')];

  test('then the same batch again gets the same ids and changes nothing', async () => {
    const first = await addAll(OWNER, items, 'key');
    const head = await useCases.head();
    expect(await addAll(OWNER, items, 'key')).toEqual(first);
    expect(await useCases.head()).toBe(head);
  });

  test('then the same batch at the same time is recorded once', async () => {
    const attempts = await Promise.all(Array.from({ length: 4 }, () => addAll(OWNER, items, 'key')));
    for (const attempt of attempts) expect(attempt.map(({ id }) => id)).toEqual(attempts[0]?.map(({ id }) => id));
    expect(await contentOf('x')).toBe('two\nthree');
  });

  test('then it answers for documents that were deleted since, and adds none again', async () => {
    const first = await addAll(OWNER, items, 'key');
    for (const { id } of first.slice(0, 2)) await useCases.append(id, { type: 'DocumentDeleted', payload: null });
    const head = await useCases.head();
    expect(await addAll(OWNER, items, 'key')).toEqual(first);
    expect(await useCases.head()).toBe(head);
  });

  test('then another batch with the key is refused', async () => {
    await addAll(OWNER, items, 'key');
    expect(await useCases.addAll(OWNER, items.slice(1), 'key')).toEqual(err('idempotency_key_reused'));
  });

  test('then items are forbidden to a caller that may not write their documents', async () => {
    await addAll(OWNER, [document('one'), newDocument(['a', 'b'])], 'key');
    const scoped = accepted(
      await useCases.addAll(principalOf(['a']), [document('one'), newDocument(['a', 'b'])], 'key'),
    );
    expect(scoped.map((item) => item.ok)).toEqual([true, true]);
    const stranger = principalOf(['c']);
    expect(await useCases.addAll(stranger, [document('one'), newDocument(['a', 'b'])], 'key')).toEqual(
      ok([FORBIDDEN, FORBIDDEN]),
    );
  });
});

test('given a backlog without room for the whole batch, then nothing is recorded', async () => {
  const before = await useCases.head();
  useCases.limitBacklog(2);
  expect(await useCases.addAll(OWNER, [document('1'), document('2'), document('3')])).toEqual(err('backlog_full'));
  expect(await useCases.head()).toBe(before);
  expect(await addAll(OWNER, [document('1'), document('2')])).toHaveLength(2);
});

describe('given an engine without transactions over streams', () => {
  /** Carries out chains one by one; from the given one on the disk is full. */
  const failing = (from: () => number) => ({
    async appendTogether(this: unknown, chains: Parameters<UseCases['store']['appendTogether']>[0]) {
      const results: ChainResult[] = [];
      for (const [i, chain] of chains.entries()) {
        const error = new Error('no space') as StorageFullError;
        if (i >= from()) results.push({ ok: false, conflict: null, error });
        else results.push(...(await useCases.store.appendTogether([chain])));
      }
      return results;
    },
  });

  test('then an error after a part was recorded has its new documents deleted', async () => {
    await useCases.close();
    let limit = Number.POSITIVE_INFINITY;
    useCases = await openUseCases({ behaviour: failing(() => limit) });
    limit = 2;
    const items = [document('one'), document('two', 'x'), document('three')];
    await expect(useCases.addAll(OWNER, items)).rejects.toThrow('no space');
    const types = (await useCases.log()).map(({ type }) => type);
    expect(types.filter((type) => type === 'DocumentAdded')).toHaveLength(2);
    expect(types.filter((type) => type === 'DocumentDeleted')).toHaveLength(2);
    limit = Number.POSITIVE_INFINITY;
    expect((await addAll(OWNER, items)).map(({ status }) => status)).toEqual(['queued', 'queued', 'queued']);
    expect(await contentOf('x')).toBe('two');
  });

  test('then a retry with its Idempotency-Key completes what was recorded', async () => {
    await useCases.close();
    let calls = 0;
    useCases = await openUseCases({
      behaviour: {
        // The process ends after the first chain: neither the others nor the answer are recorded.
        async appendTogether(chains) {
          calls += 1;
          const results = await useCases.store.appendTogether(calls === 1 ? chains.slice(0, 1) : chains);
          if (calls === 1) throw Object.assign(new Error('gone'), { results });
          return results;
        },
      },
    });
    const items = [document('one', 'x'), document('two'), document('three', 'x')];
    await expect(useCases.addAll(OWNER, items, 'key')).rejects.toThrow('gone');
    const added = await addAll(OWNER, items, 'key');
    expect(added[0]?.id).toBe(added[2]?.id);
    expect(await contentOf('x')).toBe('one\nthree');
    expect((await useCases.log()).filter(({ type }) => type === 'DocumentAdded')).toHaveLength(2);
    expect(await addAll(OWNER, items, 'key')).toEqual(added);
  });
});

test('given a batch that is cut off between the documents of one customId, then its repetition adds each once', async () => {
  await useCases.close();
  let calls = 0;
  useCases = await openUseCases({
    behaviour: {
      async appendTogether(chains) {
        calls += 1;
        if (calls === 2) throw new Error('gone');
        return useCases.store.appendTogether(chains);
      },
    },
  });
  const items = [document('one', 'x'), document('two', 'x', 'b')];
  await expect(useCases.addAll(OWNER, items, 'key')).rejects.toThrow('gone');
  const added = idsOf(await addAll(OWNER, items, 'key'));
  expect(new Set(added).size).toBe(2);
  expect(await Promise.all(added.map((id) => contentOf(id as string)))).toEqual(['one', 'two']);
});

test('given the retry of a batch, then every delta of the former attempt is recognised', async () => {
  await useCases.added(['a'], { customId: 'retried', content: 'One.' });
  const items = ['Two.', 'Three.'].map((content) => newDocument(['a'], { customId: 'retried', content }));
  await useCases.addAll(OWNER, items);
  await useCases.addAll(OWNER, items, null, true);
  const found = await useCases.documents.find(readScope(OWNER), 'retried');
  expect(found.ok && (await useCases.texts.content(found.value))).toBe('One.\nTwo.\nThree.');
});

test.each([
  ['a new document', null],
  ['an existing document', 'Something that was there before, and is longer than each of them.'],
])('given the retry of a batch for %s, then it changes nothing, whatever its items are', async (_, before) => {
  const [first, long] = ['a', 'Far longer than what comes before it, and nothing like it.'];
  if (before !== null) await useCases.added(['a'], { customId: 'x', content: before });
  const items = [first, long, first].map((content) => document(content, 'x'));
  const added = await addAll(OWNER, items);
  const content = await contentOf('x');
  const head = await useCases.head();
  expect(accepted(await useCases.addAll(OWNER, items, null, true))).toMatchObject(added.map(({ id }) => ok({ id })));
  expect(await useCases.head()).toBe(head);
  // Not a retry: the texts are added a second time.
  await addAll(OWNER, items);
  expect(await contentOf('x')).not.toBe(content);
});

describe('given the retry of a batch without customIds and without an Idempotency-Key', () => {
  const items = [
    document('same'),
    document('other', null, 'b'),
    document('same'),
    document('named', 'x'),
    document('same'),
  ];
  const retry = async (...documents: readonly NewDocument[]) =>
    accepted(await useCases.addAll(OWNER, documents, null, true)).map((item) => accepted(item));

  test.each<[string, () => void | Promise<void>]>([
    ['the process that carried out the first attempt', () => {}],
    [
      'another process',
      async () => {
        await useCases.project();
        useCases.restart();
      },
    ],
    [
      'another process whose views are behind',
      () => {
        useCases.restart();
        useCases.delayViews();
      },
    ],
  ])('in %s, then the answer names the same documents in order, and nothing is added', async (_, before) => {
    const first = await addAll(OWNER, items);
    expect(new Set(first.map(({ id }) => id)).size).toBe(items.length);
    await before();
    const head = await useCases.head();
    expect(idsOf(await retry(...items))).toEqual(idsOf(first));
    expect(await useCases.head()).toBe(head);
  });

  test('of which a part is recorded, then the rest is added', async () => {
    const [one] = await addAll(OWNER, [document('same')]);
    const added = await retry(document('same'), document('new'), document('same'));
    expect(added[0]).toEqual(one);
    expect(new Set(added.map(({ id }) => id)).size).toBe(3);
    expect(await retry(document('same'), document('new'), document('same'))).toEqual(added);
  });

  test('after it was sent twice, then the answer names the documents of the second time', async () => {
    await addAll(OWNER, items);
    useCases.clock.advance(1);
    const second = await addAll(OWNER, items);
    await useCases.project();
    useCases.restart();
    expect(await retry(...items)).toEqual(second);
  });

  test('by a caller with other tags, then its items are forbidden', async () => {
    await addAll(OWNER, [document('one'), document('two')]);
    const again = await useCases.addAll(principalOf(['b']), [document('one'), document('two')], null, true);
    expect(again).toEqual(ok([FORBIDDEN, FORBIDDEN]));
  });
});
