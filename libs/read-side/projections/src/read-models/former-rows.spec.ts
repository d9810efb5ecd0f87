import { DocumentTexts, documentStream } from '#features/documents';
import type { Position, RecordedEvent } from '#ports/event-store';
import type { DocumentChange, ViewsChange } from '#read-side/views';
import { Projector } from '../projector.ts';
import { DOCUMENTS } from './documents.ts';

/** What a further version of a memory makes the projection do: the same, however many versions there are. */

const ORGANIZATION = 'organizationA';
const MEMORY = 'MemoryMemoryMemoryMemo';
const STREAM = documentStream(ORGANIZATION, MEMORY);
const AT = Date.parse('2026-01-02T03:04:05.678Z');

let events: RecordedEvent[] = [];
let eventsRead = 0;
let vectorsLookedUp = 0;
let projector: Projector;

beforeEach(() => {
  events = [];
  eventsRead = 0;
  vectorsLookedUp = 0;
  const store = {
    readStream: async () => {
      eventsRead += events.length;
      return { events, revision: events.length - 1, erased: false };
    },
    compare: (a: Position, b: Position) => Number(a) - Number(b),
  };
  const source = {
    get: (keys: readonly string[]) => {
      vectorsLookedUp += keys.length;
      return keys.map(() => null);
    },
  };
  projector = new Projector({
    ...{ store, texts: new DocumentTexts({} as never), vectors: source, space: 'test/1/32', models: [DOCUMENTS] },
  });
});

function event(type: string, payload: RecordedEvent['payload'], contentVersion?: number): RecordedEvent {
  const revision = events.length;
  const next = {
    ...{ stream: STREAM, revision, position: `${revision}` as Position, payload },
    envelope: {
      ...{ id: `event ${revision}`, type, schemaVersion: 1, at: new Date(AT + revision * 1_000).toISOString() },
      ...{ organization: ORGANIZATION, tags: ['t'], actor: 'key:1', correlationId: `request ${revision}` },
      ...{ causationId: null, category: 'memory', ...(contentVersion && { contentVersion }) },
    },
  } as unknown as RecordedEvent;
  events.push(next);
  return next;
}

const version = (number: number, details: object = {}) => ({
  ...{ id: number === 1 ? MEMORY : `version ${number}`, text: `The count is ${number}.`, isStatic: false },
  ...{ metadata: null, forgetAfter: null, forgetReason: null, temporalContext: null, language: 'en', ...details },
});

const revised = (number: number, details: object = {}) =>
  event('MemoryRevised', version(number, details) as never, number);

async function project(...next: readonly RecordedEvent[]): Promise<DocumentChange & { readonly kind: 'upsert' }> {
  const { changes } = await projector.changesOf(next);
  const [change] = changes as readonly ViewsChange[];
  if (change?.kind !== 'upsert') throw new Error('the memory has no row');
  return change;
}

type Change = Awaited<ReturnType<typeof project>>;
const namesOf = ({ row }: Change) => new Map(row.cuts?.pieces.map(([id, fingerprint]) => [id, fingerprint]));
/** Rows of earlier versions that the views write, as of `pieceChanges`. */
const written = (before: Change, after: Change) =>
  [...namesOf(after)].filter(([id, fingerprint]) => namesOf(before).get(id) !== fingerprint).length;

/** Records versions up to one, and returns the last two changes. */
async function versions(count: number, details: (number: number) => object = () => ({})) {
  let before = await project(event('MemoryRecorded', version(1, details(1)) as never, 1));
  for (let number = 2; number < count; number += 1) before = await project(revised(number, details(number)));
  [eventsRead, vectorsLookedUp] = [0, 0];
  return { before, after: await project(revised(count, details(count))) };
}

test.each([10, 200])('version %i writes one row of an earlier version, and reads no event again', async (count) => {
  const { before, after } = await versions(count);
  expect(after.row.cuts?.pieces).toHaveLength(count - 1);
  expect(written(before, after)).toBe(1);
  expect(eventsRead).toBe(0);
  expect(vectorsLookedUp).toBeLessThanOrEqual(10);
});

test.each([10, 200])('version %i with a date between those of others writes one row more', async (count) => {
  const dated = (number: number) => ({
    temporalContext: { documentDate: new Date(AT + ((number * 7) % 211) * 86_400_000).toISOString(), eventDate: null },
  });
  const { before, after } = await versions(count, dated);
  expect(written(before, after)).toBeLessThanOrEqual(2);
});

test('a memory that is forgotten has every row of its earlier versions written again, and each says so', async () => {
  const { after } = await versions(20);
  const forgotten = await project(event('MemoryForgotten', { reason: 'Wrong.' }));
  expect(written(after, forgotten)).toBe(19);
  for (const { row } of forgotten.pieces ?? [])
    expect(row.memory).toMatchObject({ inactiveFrom: 0, isForgotten: true });
});

test('each row has what its version says, and nothing of later ones', async () => {
  const { after } = await versions(5, (number) => ({ metadata: { number }, isStatic: number % 2 === 0 }));
  expect(
    after.pieces?.map(({ row, units }) => [
      row.metadata,
      row.memory?.version,
      row.contentVersion,
      units.units[0]?.text,
    ]),
  ).toEqual([1, 2, 3, 4].map((number) => [{ number }, number, number, `The count is ${number}.`]));
  const hashes = after.pieces?.map(({ row }) => row.memory?.textHash);
  expect(new Set([...(hashes ?? []), after.row.memory?.textHash]).size).toBe(5);
});
