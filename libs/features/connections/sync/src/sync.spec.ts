import { mnemeError } from '#platform/kernel';
import { SourceBusyError, SourceLostError } from '#ports/connectors';
import { systemCause } from '#ports/event-store';
import { until } from '../../../../platform/kernel/src/testing/eventually.ts';
import { ScriptedSource } from '../../../../ports/connectors/src/testing/scripted-source.ts';
import { type Engine, ORGANIZATION, openEngine } from './testing/open-engine.ts';

class Away extends mnemeError('transient', 'away') {}

let source: ScriptedSource;
let engine: Engine;
beforeEach(async () => {
  source = new ScriptedSource();
  engine = await openEngine([source.connector()]);
});
afterEach(async () => {
  await engine.close();
  expect(engine.faults).toEqual([]);
});

const fill = (count: number) => {
  for (let n = 0; n < count; n += 1) source.put(`item-${n}`, `text ${n}`);
};
const documentAt = (path: string) => engine.documents.live.find(({ filepath }) => filepath === path);
const textsOfSource = () => Object.fromEntries([...source.items.values()].map(({ path, text }) => [path, text]));

test('what a source lists becomes documents, which follow it', async () => {
  fill(250);
  const id = await engine.connect({ tags: ['a', 'b'] });
  engine.start();
  const first = await engine.synced(id);
  expect(first.ended).toMatchObject([{ outcome: 'completed', trigger: 'cron', found: 250, done: 250, failed: 0 }]);
  expect(engine.documents.texts()).toEqual(textsOfSource());
  expect(documentAt('/item-0')).toMatchObject({
    ...{ customId: `${id}:item-0`, tags: ['a', 'b'], source: 'scripted', title: 'item-0' },
    metadata: { team: 'x', provider: 'scripted', connectionId: id },
  });
  source.put('item-0', 'another text');
  source.put('item-1', 'text 1', { path: '/moved' });
  source.items.delete('item-2');
  source.put('new', 'new text');
  source.fetched.length = 0;
  const { ended } = await engine.sync(id);
  expect(ended[0]).toMatchObject({ outcome: 'completed', trigger: 'manual', found: 250, done: 4, failed: 0 });
  expect(engine.documents.texts()).toEqual(textsOfSource());
  expect(source.fetched.sort()).toEqual(['item-0', 'new']);
  expect(engine.documents.processed).toHaveLength(252);
});

test('an item whose version is another and whose content is the same is not processed again', async () => {
  source.put('a', 'same', { version: '1' });
  const id = await engine.connect();
  engine.start();
  await engine.synced(id);
  source.put('a', 'same', { version: '2' });
  await engine.sync(id);
  await engine.sync(id);
  expect(source.fetched).toEqual(['a', 'a']);
  expect(engine.documents.processed).toEqual(['/a']);
});

test('an item that cannot be read is told, and tried again when somebody asks', async () => {
  fill(2);
  source.put('bad', 'x', { unreadable: 'it is not exported' });
  source.put('large', 'x'.repeat(20_000));
  const id = await engine.connect();
  engine.start();
  const { ended } = await engine.synced(id);
  expect(ended[0]).toMatchObject({ outcome: 'completed', done: 2, failed: 2 });
  await engine.progress.reached(await engine.store.head());
  const known = await engine.known.find({ organization: ORGANIZATION, id }, ['bad', 'large']);
  expect(known.get('bad')?.failure).toBe('it is not exported');
  expect(known.get('large')?.failure).toMatch('larger than 10000 bytes');
  source.put('bad', 'x');
  await engine.sync(id);
  expect(engine.documents.texts()).toMatchObject({ '/bad': 'x' });
});

test('more than half of many items are removed only when that is confirmed', async () => {
  fill(30);
  const id = await engine.connect();
  engine.start();
  await engine.synced(id);
  for (let n = 0; n < 16; n += 1) source.items.delete(`item-${n}`);
  source.put('new', 'new');
  const after = await engine.sync(id);
  expect(after).toMatchObject({ gone: 16, ended: [{ outcome: 'many_removed', done: 1 }, {}] });
  expect(engine.documents.live).toHaveLength(31);
  const name = { organization: ORGANIZATION, id };
  expect(await engine.connections.confirm(name, systemCause())).toMatchObject({ ok: true });
  expect(await engine.synced(id, 3)).toMatchObject({ gone: 0, ended: [{ outcome: 'completed', done: 16 }, {}, {}] });
  expect(engine.documents.texts()).toEqual(textsOfSource());
  expect(await engine.connections.confirm(name, systemCause())).toEqual({ ok: false, error: 'nothing_to_confirm' });
});

test('a lost source removes nothing', async () => {
  fill(5);
  const id = await engine.connect();
  engine.start();
  await engine.synced(id);
  source.items.clear();
  source.beforePage = () => {
    throw new SourceLostError('the root is not there');
  };
  const { ended } = await engine.sync(id);
  expect(ended[0]).toMatchObject({ outcome: 'source_lost', message: 'the root is not there' });
  expect(engine.documents.live).toHaveLength(5);
});

test.each([true, false])(
  'everything is listed for who asks; a source that always lists everything (%s) gets its cursor',
  async (listsEverything) => {
    fill(3);
    source.listsEverything = listsEverything;
    source.changes = () => ({ ids: [...source.items.keys()], removed: [] });
    const id = await engine.connect({ documentLimit: 2 });
    engine.start();
    await engine.synced(id);
    await engine.sync(id);
    expect(source.listed).toEqual([null, listsEverything ? 1 : null]);
  },
);

test('a listing that is cut begins anew, and nothing is brought twice', async () => {
  fill(250);
  let faults = 3;
  source.beforePage = (page) => {
    if (page === 1 && faults-- > 0) throw new SourceBusyError('slower', 10);
  };
  const id = await engine.connect();
  engine.start();
  const { ended } = await engine.synced(id);
  expect(ended).toMatchObject([{ outcome: 'completed', done: 250 }]);
  expect(source.listed).toHaveLength(4);
  expect(source.fetched).toHaveLength(250);
});

test('refusals for a while are waited for', async () => {
  fill(3);
  engine.documents.refusals.push('backlog_full', 'backlog_full', 'tag_merging');
  const id = await engine.connect();
  engine.start();
  const { ended } = await engine.synced(id);
  expect(ended).toMatchObject([{ outcome: 'completed', done: 3, failed: 0 }]);
});

test('a sync waits for engines that are away, and does not fail', async () => {
  fill(3);
  const { store } = engine;
  const head = store.head.bind(store);
  let faults = 3;
  store.head = async () => {
    if (faults-- > 0) throw new Away('the log is away');
    return head();
  };
  const id = await engine.connect();
  engine.start();
  const { ended } = await engine.synced(id);
  expect(ended).toMatchObject([{ outcome: 'completed', done: 3, failed: 0 }]);
});

test('what stops in the middle goes on in another process without doing anything twice', async () => {
  fill(300);
  const id = await engine.connect();
  let fetches = 0;
  const reached = Promise.withResolvers<void>();
  source.beforeFetch = async () => {
    fetches += 1;
    if (fetches === 150) reached.resolve();
    if (fetches >= 150) await new Promise((resolve) => setTimeout(resolve, 5));
  };
  const stop = engine.start();
  engine.start();
  await reached.promise;
  await stop();
  const { ended } = await engine.synced(id);
  expect(ended).toMatchObject([{ outcome: 'completed', found: 300, done: 300 }]);
  expect(engine.documents.processed).toHaveLength(300);
  // Those that were being brought at the stop are fetched again.
  expect(source.fetched.length).toBeLessThanOrEqual(308);
});

test('a deleted connection stops, gives its permission back, and leaves nothing', async () => {
  fill(100);
  const id = await engine.connect();
  engine.secrets.set(`connectors/${id}/token`, 'x');
  engine.secrets.set('connectors/other/token', 'y');
  const reached = Promise.withResolvers<void>();
  source.beforeFetch = async () => {
    if (engine.documents.live.length >= 50) {
      reached.resolve();
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  };
  engine.start();
  await reached.promise;
  const name = { organization: ORGANIZATION, id };
  await engine.connections.delete(name, systemCause(), true);
  await until(async () => (await engine.load(id)) === null);
  expect(engine.documents.live).toEqual([]);
  expect([...engine.secrets.keys()]).toEqual(['connectors/other/token']);
  expect(source.revoked).toBe(1);
  await engine.progress.reached(await engine.store.head());
  expect(await engine.known.count(name)).toBe(0);
});

test('a limit of documents leaves out the others, until there is room', async () => {
  fill(5);
  const id = await engine.connect({ documentLimit: 3 });
  engine.start();
  await engine.synced(id);
  expect(engine.documents.live).toHaveLength(3);
  source.items.delete('item-0');
  await engine.sync(id);
  await engine.sync(id);
  expect(engine.documents.live).toHaveLength(3);
  expect(engine.documents.texts()['/item-0']).toBeUndefined();
});

test('a document that was deleted here stays deleted until its content changes', async () => {
  fill(2);
  const id = await engine.connect();
  engine.start();
  await engine.synced(id);
  await engine.documents.remove(null, documentAt('/item-0')?.id ?? '');
  source.put('item-0', 'text 0', { version: 'other', path: '/moved' });
  await engine.sync(id);
  expect(engine.documents.live).toHaveLength(1);
  source.put('item-0', 'another text');
  await engine.sync(id);
  expect(engine.documents.texts()).toEqual(textsOfSource());
});

test('changes since a cursor remove what they name, and a watched source is synced when it tells', async () => {
  fill(3);
  source.changes = () => ({ ids: [], removed: [] });
  const id = await engine.connect();
  engine.start();
  await engine.synced(id);
  source.changes = () => ({ ids: ['item-1'], removed: ['item-0'] });
  source.items.delete('item-0');
  source.put('item-1', 'changed');
  await until(() => {
    source.tell();
    return engine.documents.live.length === 2;
  });
  const { ended } = await engine.synced(id, 2);
  expect(ended).toContainEqual(expect.objectContaining({ trigger: 'event', outcome: 'completed', done: 2 }));
  expect(source.listed.slice(0, 2)).toEqual([null, 1]);
  expect(engine.documents.texts()).toEqual(textsOfSource());
});
