import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createUpcasters, type EventStore, SqliteEventStore, UpcasterChainError, withUpcasters } from './index.ts';
import { event, readWholeLog } from './testing.ts';

const upcasters = createUpcasters(
  {
    DocumentAdded: {
      1: ({ name, ...rest }) => ({ ...rest, title: name }),
      2: (payload) => ({ ...payload, language: 'en' }),
    },
  },
  { DocumentAdded: 3, DocumentDeleted: 1 },
);

describe('upcasters', () => {
  let folder: string;
  let raw: EventStore;
  let store: EventStore;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'mneme-events-'));
    raw = await SqliteEventStore.open({ path: join(folder, 'events.db') });
    store = withUpcasters(raw, upcasters);
  });
  afterEach(async () => {
    await store.close();
    await rm(folder, { recursive: true });
  });

  const first = event('DocumentAdded', { name: 'old' }, { schemaVersion: 1 });
  const second = event('DocumentAdded', { title: 'newer' }, { schemaVersion: 2 });
  const third = event('DocumentAdded', { title: 'newest', language: 'de' }, { schemaVersion: 3 });
  const stranger = event('Unlisted', { n: 1 }, { schemaVersion: 9 });

  it('convert events of all versions for every reader', async () => {
    await raw.append('document-1', [first, second, third, stranger], { expected: 'no-stream' });
    const current = [
      [3, { title: 'old', language: 'en' }],
      [3, { title: 'newer', language: 'en' }],
      [3, { title: 'newest', language: 'de' }],
      [9, { n: 1 }],
    ];
    const seen = (events: readonly { envelope: { schemaVersion: number }; payload: unknown }[]) =>
      events.map(({ envelope, payload }) => [envelope.schemaVersion, payload]);

    expect(seen((await store.readStream('document-1')).events)).toEqual(current);
    expect(seen(await readWholeLog(store))).toEqual(current);
    for await (const slice of store.subscribe({ after: null, signal: new AbortController().signal })) {
      expect(seen(slice.events)).toEqual(current);
      break;
    }
    expect(seen((await raw.readStream('document-1')).events)[0]).toEqual([1, { name: 'old' }]);
  });

  it('do not change an erased event', async () => {
    await raw.append('document-1', [first], { expected: 'no-stream' });
    await raw.erase('document-1');
    expect((await store.readStream('document-1')).events).toMatchObject([{ payload: null, envelope: first.envelope }]);
  });

  it('throw for an event of a newer program', async () => {
    await raw.append('document-1', [event('DocumentAdded', {}, { schemaVersion: 4 })], { expected: 'no-stream' });
    await expect(store.readStream('document-1')).rejects.toThrow(UpcasterChainError);
  });

  it.each([
    [
      'a step is missing',
      { A: { 2: (payload: object) => ({ ...payload }) } },
      { A: 3 },
      'No upcaster for A from version 1',
    ],
    ['all steps are missing', {}, { A: 2 }, 'No upcaster for A from version 1'],
    ['a step leads past the current version', { A: { 1: () => ({}) } }, { A: 1 }, 'leads past version 1'],
    ['a type has no current version', { B: { 1: () => ({}) } }, { A: 1 }, 'Upcasters for B'],
  ])('stops the start when %s', (_, steps, current, message) => {
    expect(() => createUpcasters(steps, current)).toThrow(UpcasterChainError);
    expect(() => createUpcasters(steps, current)).toThrow(message);
  });
});
