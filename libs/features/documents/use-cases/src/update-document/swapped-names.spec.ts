import { DocumentRepository } from '#features/documents';
import { Admission } from '#features/documents/requests';
import { readScope } from '#platform/kernel';
import { type ChainResult, createCommandHandler, createFoldCache, type EventStore } from '#ports/event-store';
import { JointRecorder } from '../joint-recorder.ts';
import { NO_QUOTAS, OWNER, openUseCases, type UseCases } from '../testing.ts';
import { UpdateDocument } from './update-document.command.ts';
import { UpdateDocumentHandler } from './update-document.handler.ts';

let useCases: UseCases;
beforeEach(async () => {
  useCases = await openUseCases();
});
afterEach(() => useCases.close());

const NOTHING = { content: null, metadata: null, tags: null, filepath: null, taskType: null, documentDate: null };
const NAMES = ['one', 'two', 'three', 'four'];

type Rename = (id: string, customId: string) => Promise<boolean>;

/** A process of its own, with its own caches and queues. */
function startProcess(store: EventStore): Rename {
  const { clock, texts, deletion, erasure } = useCases;
  const cache = createFoldCache({ characters: 100_000 });
  const documents = new DocumentRepository(createCommandHandler({ store, clock, cache }));
  const recorder = new JointRecorder(documents, deletion, erasure);
  const admission = new Admission({ full: () => false }, { assertWritable: () => {} }, NO_QUOTAS);
  const handler = new UpdateDocumentHandler(documents, texts, recorder, erasure, admission, clock);
  return async (id, customId) => (await handler.execute(new UpdateDocument(OWNER, id, { ...NOTHING, customId }))).ok;
}

/** An engine that carries out each append of a chain by itself. */
function withoutTransactions(store: EventStore): EventStore {
  const appendTogether: EventStore['appendTogether'] = (chains) =>
    Promise.all(
      chains.map(async (chain): Promise<ChainResult> => {
        const appended = [];
        for (const { stream, events, expected } of chain) {
          const result = await store.append(stream, events, { expected });
          if (!result.ok) return { ok: false, conflict: stream, error: null };
          appended.push(result);
        }
        return { ok: true, appended };
      }),
    );
  return new Proxy(store, {
    get(target, name) {
      if (name === 'appendTogether') return appendTogether;
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}

/** Every document has its name to itself, and is found by it. */
async function expectNamesOf(ids: readonly string[]): Promise<void> {
  const find = async (name: string) => {
    const found = await useCases.documents.find(readScope(OWNER), name);
    return found.ok ? found.value : null;
  };
  const documents = await Promise.all(ids.map(find));
  const names = documents.map((document) => document?.customId ?? '');
  expect(new Set(names).size).toBe(ids.length);
  expect(await Promise.all(names.map(async (name) => (await find(name))?.id))).toEqual(ids);
  for (const free of NAMES.filter((name) => !names.includes(name))) expect(await find(free)).toBeNull();
}

describe.each<[string, (store: EventStore) => EventStore]>([
  ['with transactions over streams', (store) => store],
  ['without transactions over streams', withoutTransactions],
])('given two processes on an engine %s', (_, engine) => {
  let processes: readonly Rename[];
  beforeEach(() => {
    processes = [startProcess(engine(useCases.store)), startProcess(engine(useCases.store))];
  });
  const rename = (process: number, id: string, customId: string) => (processes[process] as Rename)(id, customId);

  test('then documents that are given the customIds of each other keep their own', async () => {
    const [a, b] = [await useCases.added(['a'], { customId: 'one' }), await useCases.added(['a'], { customId: 'two' })];
    expect(await Promise.all([rename(0, a, 'two'), rename(1, b, 'one')])).toEqual([false, false]);
    await expectNamesOf([a, b]);
  });

  test('then a document that gets another customId and its own again at the same time is found by what it has', async () => {
    const a = await useCases.added(['a'], { customId: 'one' });
    for (let round = 0; round < 20; round += 1) {
      await Promise.all([rename(0, a, 'two'), rename(1, a, 'one'), rename(0, a, 'one'), rename(1, a, 'two')]);
      await expectNamesOf([a]);
    }
  });

  test('then no customId is lost, and none has two documents, whoever gets it', async () => {
    const ids: string[] = [];
    for (const customId of NAMES.slice(0, 3)) ids.push(await useCases.added(['a'], { customId }));
    let renamed = 0;
    for (let round = 0, n = 7; round < 20; round += 1) {
      const renames = Array.from({ length: 6 }, (_, i) => {
        n = (n * 31 + 11) % 101;
        return rename(i % 2, ids[n % 3] as string, NAMES[(n >> 2) % 4] as string);
      });
      renamed += (await Promise.all(renames)).filter(Boolean).length;
      await expectNamesOf(ids);
    }
    expect(renamed).toBeGreaterThan(20);
  });
});
