import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type AccessScope, newId, type OrganizationId, ok, readScope, type Scope, systemScope } from '#platform/kernel';
import {
  createCommandHandler,
  createFoldCache,
  type EventStore,
  SqliteEventStore,
  type StreamChange,
  systemCause,
} from '#ports/event-store';
import { DocumentRepository } from '../repository.ts';
import { addedEvent } from '../testing.ts';
import { AmbiguousCustomIdError, type Place } from './custom-ids.ts';

const SCOPE = systemScope('org');
const MINUTE_MS = 60_000;

let folder: string;
let log: SqliteEventStore;
let documents: DocumentRepository;
let now = Date.parse('2026-01-02T03:04:05.678Z');
/** Questions to the views, and events that were read from the log. */
let asked = 0;
let read = 0;
/** The customId of each test is its own. */
let customId = '';
let tests = 0;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mneme-custom-ids-'));
  log = await SqliteEventStore.open({ path: join(folder, 'events.db') });
  // The cache is too small for a state, so each is read from the log.
  const cache = createFoldCache({ characters: 1 });
  const handler = createCommandHandler({ store: counted(log), clock: { now: () => now }, cache });
  documents = new DocumentRepository(handler, findNamed);
});
afterAll(async () => {
  await log.close();
  await rm(folder, { recursive: true });
});
beforeEach(() => {
  tests += 1;
  customId = `name ${tests}`;
});

function counted(store: EventStore): EventStore {
  return new Proxy(store, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name, target);
      if (typeof value !== 'function') return value;
      if (name !== 'readStream') return value.bind(target);
      return async (...args: Parameters<EventStore['readStream']>) => {
        const stream = await target.readStream(...args);
        read += stream.events.length;
        return stream;
      };
    },
  });
}

/** The documents that the views find: those with the customId and one of the tags, the oldest first. */
const shown = new Map<string, { readonly customId: string; readonly tags: readonly string[] }>();
async function findNamed({ tags }: Scope, name: string): Promise<readonly string[]> {
  asked += 1;
  return [...shown].flatMap(([id, document]) => {
    const isFound = document.customId === name && (tags === 'all' || document.tags.some((tag) => tags.includes(tag)));
    return isFound ? [id] : [];
  });
}

const moment = () => ({ cause: systemCause(), now });
const place = (tags: readonly string[], id = 'asker', name = customId): Promise<Place> =>
  documents.customIds.place(SCOPE, { customId: name, tags }, id, moment());

/** Claims a name for a document that is not added. */
async function promise(tags: readonly string[]): Promise<string> {
  const id = newId();
  const free = await place(tags, id);
  expect(free.kind).toBe('free');
  expect(await documents.customIds.claim(claimsOf(free))).toBe(true);
  return id;
}

const claimsOf = (found: Place): readonly StreamChange[] =>
  found.kind === 'reserved' || found.claims === null ? [] : found.claims;

/** Adds a text to the document with a name, or begins it. */
async function add(...tags: readonly string[]): Promise<string> {
  const opened = await documents.together.named(SCOPE, { customId, tags }, newId(), moment());
  if (!opened.ok) throw new Error(opened.error);
  const draft = opened.value;
  const { id } = draft;
  const event = addedEvent('hello', { customId });
  const events = draft.isNew
    ? { ...event, payload: { ...event.payload, id } }
    : ({ type: 'DetailsChanged', payload: { metadata: { n: draft.revision } } } as const);
  draft.add([events], { ...moment(), organization: 'org' as OrganizationId, tags });
  expect(await documents.together.commit(SCOPE, [draft])).toEqual(['recorded']);
  shown.set(id, { customId, tags });
  return id;
}

async function changeTags(id: string, ...tags: readonly string[]): Promise<void> {
  const events = [{ type: 'DetailsChanged', payload: {} }] as const;
  await documents.change(SCOPE, id, systemCause(), () => ok({ events, tags }));
  shown.set(id, { customId, tags });
}

async function remove(id: string): Promise<void> {
  await documents.change(SCOPE, id, systemCause(), () => ok([{ type: 'DocumentDeleted', payload: null }]));
  shown.delete(id);
}

describe('given one document with a customId', () => {
  test('then its name is taken, its tags in any order, and the views are not asked', async () => {
    asked = 0;
    expect(await place(['a'])).toMatchObject({ kind: 'free', isShared: false, claims: [{}] });
    const id = await add('a', 'b');
    for (const tags of [
      ['a', 'b'],
      ['b', 'a'],
    ]) {
      expect(await place(tags)).toEqual({ kind: 'taken', id, claims: [] });
    }
    expect(asked).toBe(0);
  });

  test('then the customId is free in other tags, and is shared from then on', async () => {
    const [first, second] = [await add('a', 'b'), await add('a')];
    expect(first).not.toBe(second);
    expect(await place(['a', 'b'])).toMatchObject({ kind: 'taken', id: first });
    expect(await place(['a'])).toMatchObject({ kind: 'taken', id: second });
    expect(await place(['b'])).toMatchObject({ kind: 'free', isShared: true });
  });

  test('then what it has itself is free, and nothing is to be claimed', async () => {
    const id = await add('a');
    expect(await place(['a'], id)).toEqual({ kind: 'free', claims: [], isShared: false });
    expect(await place(['b'], id)).toEqual({ kind: 'free', claims: [], isShared: false });
  });

  test('then in other tags it is taken after it has come to them', async () => {
    const id = await add('a');
    await changeTags(id, 'b');
    expect(await place(['b'])).toMatchObject({ kind: 'taken', id });
    expect(await place(['a'])).toMatchObject({ kind: 'free', isShared: true });
  });

  test('that is deleted, then the name is free', async () => {
    await remove(await add('a'));
    expect(await place(['a'])).toMatchObject({ kind: 'free', isShared: false });
  });
});

describe('given a claim for a document that is not added', () => {
  test.each([
    ['the first one', false],
    ['a later one', true],
  ])('%s, then the name is promised to it, and free for others after a minute', async (_, isLater) => {
    if (isLater) {
      await add('b');
      await add('c');
    }
    const id = await promise(['a']);
    expect(await place(['a'])).toEqual({ kind: 'promised', id, claims: null });
    now += MINUTE_MS + 1;
    expect(await place(['a'])).toMatchObject({ kind: 'promised', id, claims: [{}] });
  });

  test('but is getting the customId, then the name is reserved for a minute', async () => {
    const id = await add('a');
    expect(await documents.customIds.claim(claimsOf(await place(['a'], id, `not ${customId}`)))).toBe(true);
    expect(await place(['a'], 'asker', `not ${customId}`)).toEqual({ kind: 'reserved' });
    now += MINUTE_MS + 1;
    expect(await place(['a'], 'asker', `not ${customId}`)).toMatchObject({ kind: 'free' });
  });
});

describe('given several documents with a customId', () => {
  test('then the views are asked only where there is no claim', async () => {
    const [, second] = [await add('a'), await add('b')];
    asked = 0;
    await place(['a']);
    await place(['b']);
    expect(asked).toBe(0);
    await changeTags(second, 'c');
    expect(await place(['c'])).toMatchObject({ kind: 'taken', id: second, claims: [{}] });
    expect(asked).toBe(1);
    expect(await add('c')).toBe(second);
    asked = 0;
    expect(await place(['c'])).toEqual({ kind: 'taken', id: second, claims: [] });
    expect(asked).toBe(0);
    expect(await place(['b'])).toMatchObject({ kind: 'free', isShared: true });
  });

  test('that come to the same tags, then the name is that of the oldest, and then of the next', async () => {
    const [oldest, other, newest] = [await add('a'), await add('b'), await add('c')];
    await changeTags(other, 'c');
    expect(await add('c')).toBe(other);
    await changeTags(oldest, 'c');
    expect(await add('c')).toBe(oldest);
    await remove(oldest);
    expect(await add('c')).toBe(other);
    await remove(other);
    expect(await add('c')).toBe(newest);
  });

  test('then a document does not have its own name from another one', async () => {
    const [first, second] = [await add('a'), await add('b')];
    expect(await place(['b'], second)).toMatchObject({ kind: 'free' });
    expect(await place(['a'], second)).toMatchObject({ kind: 'taken', id: first });
  });

  test('then an add costs no more reads if they are many', async () => {
    const costs = async (...tags: readonly string[]) => {
      asked = 0;
      read = 0;
      await place(tags);
      return { asked, read };
    };
    await add('t0');
    await add('t1');
    const ofFew = [await costs('t0'), await costs('t1'), await costs('new')];
    for (let i = 2; i < 300; i += 1) await add(`t${i}`);
    expect([await costs('t0'), await costs('t299'), await costs('new')]).toEqual(ofFew);
    expect(ofFew.map(({ asked: questions }) => questions)).toEqual([0, 0, 1]);
  });
});

describe('a customId addresses', () => {
  const reader = (...tags: readonly string[]): AccessScope =>
    readScope({ organization: SCOPE.organization, keyId: 'k', role: 'member', tags, writableTags: tags });
  const addressed = (scope: AccessScope) => documents.customIds.addressed(scope, customId);

  test('no document that the scope does not permit', async () => {
    const [first, second] = [await add('a'), await add('b')];
    expect(await addressed(reader('a'))).toBe(first);
    expect(await addressed(reader('b'))).toBe(second);
    expect(await addressed(reader('c'))).toBeNull();
  });

  test('none of several, unless a tag picks one; of several the one with this tag alone', async () => {
    const [alone, both, other] = [await add('a'), await add('a', 'b'), await add('b', 'c')];
    const error = await addressed(SCOPE).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(AmbiguousCustomIdError);
    expect(error).toMatchObject({
      details: [
        { id: alone, tags: ['a'] },
        { id: both, tags: ['a', 'b'] },
        { id: other, tags: ['b', 'c'] },
      ],
    });
    expect(await addressed({ ...SCOPE, picked: ['a'] })).toBe(alone);
    expect(await addressed({ ...SCOPE, picked: ['c'] })).toBe(other);
    await expect(addressed({ ...SCOPE, picked: ['b'] })).rejects.toThrow(AmbiguousCustomIdError);
  });
});
