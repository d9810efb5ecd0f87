import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { jest } from '@jest/globals';
import type { OrganizationId } from '#platform/kernel';
import { SqliteEventStore } from '#ports/event-store';
import { until } from '../../../platform/kernel/src/testing/eventually.ts';
import { event } from '../../event-store/src/testing.ts';
import { type FollowOptions, LogFeed } from './log-feed.ts';

const ORGANIZATION = 'organization-a' as OrganizationId;
const ALL = { organization: ORGANIZATION, tags: 'all' } as const;

let folder: string;
let store: SqliteEventStore;
let feed: LogFeed;
let controller: AbortController;
let followers: Promise<unknown>[];

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'mneme-feed-'));
  store = await SqliteEventStore.open({ path: join(folder, 'events.db') });
  feed = new LogFeed(store);
  controller = new AbortController();
  followers = [];
});
afterEach(async () => {
  controller.abort();
  await Promise.all(followers);
  await store.close();
  rmSync(folder, { recursive: true });
});

let written = 0;

/** Appends events of as many documents; returns the position of the last one. */
async function append(types: readonly string[], envelope: Parameters<typeof event>[2] = {}) {
  for (const type of types) {
    const stream = `document-${envelope.organization ?? ORGANIZATION}_${written++}`;
    await store.append(stream, [event(type, null, envelope)], { expected: 'any' });
  }
  return store.head();
}

/** Follows the feed into a list of types. */
function follow(options: Partial<FollowOptions> = {}, scope: Parameters<LogFeed['follow']>[0] = ALL): string[] {
  const seen: string[] = [];
  const { signal } = controller;
  const reading = async () => {
    for await (const { events } of feed.follow(scope, { after: null, types: null, tag: null, signal, ...options })) {
      seen.push(...events.map(({ envelope }) => envelope.type));
    }
  };
  followers.push(reading());
  return seen;
}

/** Waits until a follower is behind the past: it gets what is appended now. */
async function following(...all: readonly string[][]): Promise<void> {
  await until(async () => {
    await append(['Ready']);
    return all.every((seen) => seen.includes('Ready'));
  });
  const type = `Settled${written}`;
  await append([type]);
  await until(() => all.every((seen) => seen.includes(type)));
  for (const seen of all) seen.length = 0;
}

const numbered = (count: number, from = 0) => Array.from({ length: count }, (_, i) => `E${from + i}`);

test('a follower gets what is new, in order', async () => {
  await append(['Old']);
  const seen = follow();
  await following(seen);
  await append(numbered(50));
  await until(() => seen.length >= 50);
  expect(seen).toEqual(numbered(50));
});

test('a follower gets the past behind its position and then what is new, each event once', async () => {
  const position = await append(['Before']);
  await append(numbered(700));
  const seen = follow({ after: position });
  // Events arrive while the past is read.
  await append(numbered(300, 700));
  await until(() => seen.length >= 1000);
  await append(['Last']);
  await until(() => seen.includes('Last'));
  expect(seen).toEqual([...numbered(1000), 'Last']);
});

test('a follower whose position the common reader has not reached gets nothing from before it', async () => {
  const isOpen = Promise.withResolvers<void>();
  const subscribe = store.subscribe.bind(store);
  const late = jest.spyOn(store, 'subscribe').mockImplementation(async function* (options) {
    // The log reports nothing for a while, and then all of it event by event.
    await isOpen.promise;
    for await (const { events, ...slice } of subscribe(options))
      for (const one of events) yield { ...slice, events: [one] };
  });
  const first = follow();
  await until(() => late.mock.calls.length > 0);
  await append(numbered(5));
  const second = follow({ after: await append(numbered(5, 5)) });
  const third = follow({ after: await append(numbered(5, 10)) });
  await append(['Last']);
  isOpen.resolve();
  await until(() => [first, second, third].every((seen) => seen.includes('Last')));
  expect(first).toEqual([...numbered(15), 'Last']);
  expect(second).toEqual([...numbered(5, 10), 'Last']);
  expect(third).toEqual(['Last']);
});

test('of many followers that begin at any time, each gets every event behind its position once', async () => {
  const all: { seen: string[]; from: number }[] = [];
  for (let i = 0; i < 200; i += 1) {
    await append([`E${i}`]);
    if (i % 5 === 0) all.push({ seen: follow({ after: await store.head() }), from: i + 1 });
  }
  await until(() => all.every(({ seen, from }) => seen.length >= 200 - from));
  for (const { seen, from } of all) expect(seen).toEqual(numbered(200 - from, from));
});

test('many followers share one reader of the log, which ends with the last of them', async () => {
  const subscribe = jest.spyOn(store, 'subscribe');
  const all = Array.from({ length: 30 }, () => follow());
  await following(...all);
  const reads = jest.spyOn(store, 'readAll');
  await append(numbered(10));
  await until(() => all.every((seen) => seen.length === 10));
  expect(subscribe).toHaveBeenCalledTimes(1);
  // Readers of their own would need 300.
  expect(reads.mock.calls.length).toBeLessThan(20);
  controller.abort();
  await Promise.all(followers);
  expect(subscribe.mock.calls[0]?.[0].signal.aborted).toBe(true);
  controller = new AbortController();
  const later = follow();
  await following(later);
  expect(subscribe).toHaveBeenCalledTimes(2);
});

test('a follower sees only events of its organization, tags and types', async () => {
  const scoped = follow({}, { organization: ORGANIZATION, tags: ['a', 'b'] });
  const tagged = follow({ tag: 'b' });
  const typed = follow({ types: ['Ready', 'Wanted'] });
  const whole = follow();
  await until(async () => {
    await append(['Ready'], { tags: ['a', 'b'] });
    return [scoped, tagged, typed, whole].every((seen) => seen.length > 0);
  });
  await append(['OfA'], { tags: ['a'] });
  await append(['OfB', 'Wanted'], { tags: ['b', 'c'] });
  await append(['OfC'], { tags: ['c'] });
  await append(['Foreign'], { organization: 'organization-b' as OrganizationId, tags: ['a', 'b'] });
  await append(['End', 'Wanted'], { tags: ['a', 'b'] });
  const rest = (seen: readonly string[]) => seen.filter((type) => type !== 'Ready');
  await until(() => [scoped, tagged, whole].every((seen) => seen.includes('End')) && rest(typed).length === 2);
  await until(() => [scoped, tagged, whole].every((seen) => seen.at(-1) === 'Wanted'));
  expect(rest(scoped)).toEqual(['OfA', 'OfB', 'Wanted', 'End', 'Wanted']);
  expect(rest(tagged)).toEqual(['OfB', 'Wanted', 'End', 'Wanted']);
  expect(rest(typed)).toEqual(['Wanted', 'Wanted']);
  expect(rest(whole)).toEqual(['OfA', 'OfB', 'Wanted', 'OfC', 'End', 'Wanted']);
});

test('a follower that does not take what it gets holds up no other', async () => {
  const { signal } = controller;
  const slow = feed.follow(ALL, { after: null, types: null, tag: null, signal })[Symbol.asyncIterator]();
  const first = slow.next();
  const seen = follow();
  await following(seen);
  await first;
  await append(numbered(100));
  await until(() => seen.length === 100);
  await slow.return?.();
});
