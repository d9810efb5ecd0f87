import { CarriedIds, documentStream } from '#documents';
import { systemCause } from '#event-store';
import { systemScope } from '#kernel';
import { toRow } from '#projections';
import type { UnitSet, ViewsReader } from '#views';
import { ORGANIZATION, openUseCases, type UseCases } from '../testing.ts';

/** Ids that are carried on from memories that leave, as the views show them. */

const SCOPE = systemScope(ORGANIZATION);
const SAID = 'Mara lives in Oslo.';

let useCases: UseCases;
beforeEach(async () => {
  useCases = await openUseCases();
});
afterEach(() => useCases.close());

/** Adds a document that the views show with memories; their ids begin with its name. */
async function added(name: string, texts: readonly string[], tags: readonly string[] = ['a']): Promise<string> {
  useCases.clock.advance(1_000);
  const id = await useCases.added(tags);
  const state = await useCases.documents.load(SCOPE, id);
  if (state.status !== 'live') throw new Error(state.status);
  const units = texts.map((text, ordinal) => ({
    ...{ id: `${name} ${ordinal}`, kind: 'memory' as const, ordinal, text, speaker: null },
  }));
  await useCases.show([toRow(state, 0), { units, header: '', vectors: null } satisfies UnitSet]);
  return id;
}

const warnings: string[] = [];
const carriedIds = (views: Partial<ViewsReader> = {}) =>
  new CarriedIds({
    ...{ documents: useCases.documents, now: () => useCases.clock.now() },
    views: new Proxy(useCases.views, {
      get: (target, name) => Reflect.get(views, name) ?? Reflect.get(target, name).bind(target),
    }),
    logger: { warn: (message) => warnings.push(message) },
  });
const leave = (carried: CarriedIds, ...ids: readonly string[]) =>
  carried.leave({ organization: ORGANIZATION, documentIds: new Set(ids) }, 'request', async () => 'left');

/** The ids that were carried on to a memory. Undefined: none were. */
async function carriedTo(id: string): Promise<readonly string[] | undefined> {
  const { events } = await useCases.store.readStream(documentStream(ORGANIZATION, id));
  const found = events.filter(({ envelope }) => envelope.type === 'MemoryIdCarried');
  return found.length === 0 ? undefined : found.flatMap(({ payload }) => (payload?.ids ?? []) as readonly string[]);
}

test('to the oldest that stays, of the same tags', async () => {
  const first = await added('first', [SAID]);
  await added('elsewhere', [SAID], ['a', 'b']);
  await added('second', [SAID]);
  await added('third', [SAID]);
  expect(await leave(carriedIds(), first)).toBe('left');
  expect(await carriedTo('second 0')).toEqual(['first 0']);
  expect([await carriedTo('third 0'), await carriedTo('elsewhere 0')]).toEqual([undefined, undefined]);
  const { events } = await useCases.store.readStream(documentStream(ORGANIZATION, 'second 0'));
  expect(events.map(({ envelope }) => [envelope.actor, envelope.correlationId, envelope.category])).toEqual([
    ['system', 'request', 'memory'],
    ['system', 'request', 'memory'],
  ]);
});

test('nothing, where another one was first or nothing is repeated', async () => {
  await added('first', [SAID]);
  const [second, other] = [await added('second', [SAID]), await added('other', ['Ruben paints boats.'])];
  const head = await useCases.head();
  await leave(carriedIds(), second);
  await leave(carriedIds(), other);
  expect(await useCases.head()).toBe(head);
});

test('not to those that leave with it or at the same time', async () => {
  const documents: string[] = [];
  for (const name of ['first', 'second', 'third', 'fourth']) documents.push(await added(name, [SAID]));
  const [first = '', second = '', third = ''] = documents;
  const carried = carriedIds();
  await carried.leave({ organization: ORGANIZATION, documentIds: new Set([third]) }, 'another', () =>
    leave(carried, first, second),
  );
  expect(await carriedTo('fourth 0')).toEqual(['first 0']);
});

test('not to those that are gone, but still in the views', async () => {
  const [first, second] = [await added('first', [SAID]), await added('second', [SAID])];
  await added('third', [SAID]);
  await useCases.deletion.delete(SCOPE, systemCause(), second);
  await leave(carriedIds(), first);
  expect(await carriedTo('third 0')).toEqual(['first 0']);
});

test('of each memory of a long document, which is looked up page by page', async () => {
  const texts = Array.from({ length: 2_500 }, (_, i) => `Sentence number ${i}.`);
  const long = await added('long', texts);
  await added('short', [texts[2_499] as string, texts[3] as string]);
  const asked: number[] = [];
  const passages: ViewsReader['passages'] = (scope, wanted) => {
    asked.push('texts' in wanted ? wanted.texts.length : 0);
    return useCases.views.passages(scope, wanted);
  };
  await leave(carriedIds({ passages }), await added('alone', ['Nobody else says this.']));
  expect(asked).toEqual([]);
  // As an engine that does not know what is repeated.
  const unitsOf: ViewsReader['unitsOf'] = (scope, { areRepeated: _, ...wanted }) =>
    useCases.views.unitsOf(scope, wanted);
  await leave(carriedIds({ passages, unitsOf }), long);
  expect([await carriedTo('short 0'), await carriedTo('short 1')]).toEqual([['long 2499'], ['long 3']]);
  // Once without and once with the other requests of the organization waiting.
  expect(asked).toEqual([1_000, 1_000, 500, 1_000, 1_000, 500]);
});

test('not while the views cannot be read; the work runs', async () => {
  const first = await added('first', [SAID]);
  await added('second', [SAID]);
  const passages = () => Promise.reject(new Error('no views'));
  expect(await leave(carriedIds({ passages }), first)).toBe('left');
  expect(warnings).toEqual([expect.stringContaining(`${first} were not carried on`)]);
  expect(warnings[0]).toContain('no views');
});
