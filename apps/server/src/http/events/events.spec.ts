import type { EventFeed } from '#ports/event-feed';
import type { RecordedEvent } from '#ports/event-store';
import { until } from '../../../../../libs/platform/kernel/src/testing/eventually.ts';
import { listen, startTestApp } from '../testing/fake-application.ts';
import { event, ROW } from '../testing/fixtures.ts';
import { useListeningApp } from '../testing/use-test-app.ts';

const http = useListeningApp({ rateLimit: { requests: 100_000, seconds: 60 } });

describe('events', () => {
  let asked: { caller: unknown; options: Parameters<EventFeed['follow']>[1] } | null;

  const feed = (events: readonly RecordedEvent[], end: 'ends' | 'goes on'): EventFeed['follow'] =>
    async function* (caller, options) {
      asked = { caller, options };
      if (events.length > 0) yield { events, isPast: true };
      if (end === 'goes on' && !options.signal.aborted) {
        await new Promise((resolve) => options.signal.addEventListener('abort', resolve, { once: true }));
      }
    };

  beforeEach(() => {
    asked = null;
    http.fake.follow = feed([], 'ends');
  });

  test('an event has cursor, type and envelope, and no content', async () => {
    http.fake.follow = feed(
      [event(7), event(9, { type: 'ProcessingFailed', code: 'x', stage: 'embedding', attempt: 3 })],
      'ends',
    );
    const { status, headers, text } = await http.call('GET', '/v3/events');
    expect(status).toBe(200);
    expect(headers).toMatchObject({
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-store',
      'x-ratelimit-limit': '100000',
      'x-request-id': expect.any(String),
    });
    const [opening, first, second] = text.split('\n\n');
    expect(opening).toBe(':');
    const [id, type, data] = (first as string).split('\n');
    expect([id, type]).toEqual(['id: store-1:7', 'event: DocumentAdded']);
    expect(JSON.parse((data as string).slice('data: '.length))).toEqual({
      id: 'event-7',
      type: 'DocumentAdded',
      schemaVersion: 1,
      at: '2025-01-02T03:04:05.678Z',
      organization: 'acme',
      documentId: ROW.id,
      revision: 7,
      tags: ['org/a'],
      actor: 'key:k1',
      correlationId: 'c',
      causationId: null,
      contentVersion: 1,
      sizes: { characters: 5 },
    });
    expect(second).toContain('"stage":"embedding","attempt":3,"code":"x"');
    expect(text).not.toContain('SECRET');
  });

  test('an event of another stream has no document id', async () => {
    http.fake.follow = feed([{ ...event(1), stream: 'key-k1' }], 'ends');
    expect((await http.call('GET', '/v3/events')).text).toContain('"documentId":null');
  });

  test.each([
    ['Last-Event-ID', '/v3/events', { 'last-event-id': 'store-1:42' }],
    ['after', '/v3/events?after=store-1:42', {}],
    ['Last-Event-ID before after', '/v3/events?after=store-1:1', { 'last-event-id': 'store-1:42' }],
  ])('continues after %s', async (_, url, headers) => {
    expect((await http.call('GET', url, undefined, headers)).status).toBe(200);
    expect(asked?.options.after).toBe('42');
  });

  test.each(['store-2:42', 'store-1', 'store-1:', 'store-1:x', '42', ':', 'null'])(
    '%j is not a cursor of this log',
    async (id) => {
      const byQuery = await http.call('GET', `/v3/events?after=${encodeURIComponent(id)}`);
      const byHeader = await http.call('GET', '/v3/events', undefined, { 'last-event-id': id });
      expect([byQuery.status, byQuery.body.details]).toEqual([400, 'after']);
      expect([byHeader.status, byHeader.body.details]).toEqual([400, 'Last-Event-ID']);
      expect(asked).toBeNull();
    },
  );

  test('follows new events of all types and tags by default', async () => {
    await http.call('GET', '/v3/events');
    expect(asked).toMatchObject({
      caller: { organization: 'acme' },
      options: { after: null, types: null, tag: null, signal: expect.any(AbortSignal) },
    });
    await http.call('GET', '/v3/events?types=DocumentAdded,DocumentIndexed&containerTag=org%2Fa');
    expect(asked?.options).toMatchObject({ types: ['DocumentAdded', 'DocumentIndexed'], tag: 'org/a' });
  });

  test.each([
    'types=a%20b',
    'types=DocumentAdded,Unknown',
    'types=toString',
    'types=a&types=b',
    'containerTag=',
    'containerTag=a&containerTag=b',
  ])('?%s is refused', async (query) => {
    expect((await http.call('GET', `/v3/events?${query}`)).status).toBe(400);
  });

  test('HEAD does not wait for events', async () => {
    expect((await http.call('HEAD', '/v3/events')).status).toBe(200);
  });

  test('ends when the client disconnects', async () => {
    http.fake.follow = feed([event(1)], 'goes on');
    const controller = new AbortController();
    const answer = await fetch(`${http.url}/v3/events`, { headers: http.withKey, signal: controller.signal });
    await answer.body?.getReader().read();
    expect(asked?.options.signal.aborted).toBe(false);
    controller.abort();
    await until(() => asked?.options.signal.aborted === true);
  });

  test('waits for a slow client', async () => {
    let made = 0;
    http.fake.follow = async function* () {
      for (; made < 100_000; made++) {
        yield { events: [event(made, { correlationId: 'x'.repeat(1000) })], isPast: true };
      }
    };
    const answer = await fetch(`${http.url}/v3/events`, { headers: http.withKey });
    const reader = (answer.body as ReadableStream<Uint8Array>).getReader();
    await reader.read();
    // It stops when the buffers of two sockets are full, far below the 120 MB of all events.
    for (let before = -1, still = 0; still < 1000; before = made) {
      await new Promise((resolve) => setImmediate(resolve));
      still = before === made ? still + 1 : 0;
    }
    expect(made).toBeLessThan(50_000);
    await reader.cancel();
  });

  test('is closed when over 1 MiB of new events is unread', async () => {
    let made = 0;
    let isClosed = false;
    http.fake.follow = async function* () {
      try {
        for (; ; made += 1) {
          yield { events: [event(made, { correlationId: 'x'.repeat(100_000) })], isPast: false };
          await new Promise((resolve) => setImmediate(resolve));
        }
      } finally {
        isClosed = true;
      }
    };
    const answer = await fetch(`${http.url}/v3/events`, { headers: http.withKey });
    const reader = (answer.body as ReadableStream<Uint8Array>).getReader();
    await until(() => isClosed);
    await expect(
      (async () => {
        while (!(await reader.read()).done);
      })(),
    ).rejects.toThrow();
    // The buffers of the sockets hold some megabytes.
    expect(made).toBeLessThan(500);
  });

  test('a key has at most so many streams; when one ends, there is room again', async () => {
    const other = await startTestApp({ maxStreams: 2 });
    const url = `${await listen(other)}/v3/events`;
    let followers = 0;
    other.fake.follow = async function* (_, { signal }) {
      followers += 1;
      await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
      followers -= 1;
    };
    const controller = new AbortController();
    const open = (signal?: AbortSignal) => fetch(url, { headers: other.withKey, ...(signal && { signal }) });
    await open(controller.signal);
    const second = await open();
    const refused = await open();
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '5']);
    expect(await refused.json()).toMatchObject({ code: 'rate_limited' });
    controller.abort();
    await until(() => followers === 1);
    expect((await open()).status).toBe(200);
    await other.app.close();
    await second.text();
  });

  test('ends when the server stops', async () => {
    const other = await startTestApp();
    other.fake.follow = feed([event(1)], 'goes on');
    const answer = await fetch(`${await listen(other)}/v3/events`, { headers: other.withKey });
    const text = answer.text();
    await until(() => asked !== null);
    await other.app.close();
    expect(await text).toContain('id: store-1:1');
  });
});
