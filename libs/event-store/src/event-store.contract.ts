import fc from 'fast-check';
import type { OrganizationId } from '#kernel';
import {
  type EventFilter,
  type EventStore,
  type ExpectedRevision,
  type NewEvent,
  PayloadTooLargeError,
  type Position,
  type RecordedEvent,
} from './port.ts';
import { event, numbered, readWholeLog } from './testing.ts';

export interface OpenedStore {
  readonly store: EventStore;
  /** Another client of the same log. */
  readonly other: EventStore;
  close(): Promise<void>;
}

/**
 * Contract of the event store port, run on every adapter.
 * @param open called once; the tests share the log and use separate streams
 */
export function eventStoreContract(name: string, open: () => Promise<OpenedStore>): void {
  describe(`event store contract: ${name}`, () => {
    let opened: OpenedStore;
    let store: EventStore;
    let streams = 0;
    const stream = (category = 'document') => `${category}-${++streams}x`;

    beforeAll(async () => {
      opened = await open();
      store = opened.store;
    });
    afterAll(() => opened.close());

    const append = async (
      name: string,
      events: readonly NewEvent[],
      expected: ExpectedRevision = 'any',
      options: { erase?: boolean } = {},
    ) => {
      const result = await store.append(name, events, { expected, ...options });
      if (!result.ok) throw new Error(`Conflict at ${result.conflict.actual}`);
      return result;
    };
    const payloads = (events: readonly RecordedEvent[]) => events.map((each) => each.payload);
    const ids = (events: readonly { envelope: { id: string } }[]) => events.map((each) => each.envelope.id);

    describe('append and read', () => {
      it('returns the appended events, envelope and payload', async () => {
        const name = stream();
        const given = event(
          'DocumentAdded',
          { title: 'Überschrift 😀 \u0000 \ud800', nested: { list: [1, null, true, 'x'] } },
          {
            schemaVersion: 3,
            tags: ['b', 'a'],
            actor: 'key:1',
            causationId: 'cause',
            contentVersion: 2,
            stage: 'extract',
            attempt: 1,
            code: 'too_large',
            sizes: { characters: 5 },
          },
        );
        const { position } = await append(name, [given], 'no-stream');
        const slice = await store.readStream(name);
        expect(slice).toMatchObject({ revision: 0, erased: false });
        // Property by property, because a store may return objects with getters.
        const stored = slice.events.map((one) => [one.stream, one.revision, one.position, one.envelope, one.payload]);
        expect(stored).toEqual([[name, 0, position, given.envelope, given.payload]]);
      });

      it('reports a stream that does not exist', async () => {
        expect(await store.readStream(stream())).toEqual({ events: [], revision: 'no-stream', erased: false });
      });

      it('counts revisions from 0 and reads from any revision on', async () => {
        const name = stream();
        const events = numbered(5);
        expect((await append(name, events.slice(0, 2))).revision).toBe(1);
        expect((await append(name, events.slice(2))).revision).toBe(4);
        const { events: rest, revision } = await store.readStream(name, { from: 3 });
        expect(rest.map((each) => [each.revision, each.payload])).toEqual([
          [3, { n: 3 }],
          [4, { n: 4 }],
        ]);
        expect(revision).toBe(4);
        expect((await store.readStream(name, { from: 5 })).events).toEqual([]);
      });

      it('appends events with new ids only at the expected revision, also to a stream that it has not read', async () => {
        const name = stream();
        await append(name, numbered(3));
        const append1 = (expected: number) => opened.other.append(name, numbered(1, 3), { expected, newIds: true });
        expect(await append1(1)).toEqual({ ok: false, conflict: { actual: 2 } });
        expect(await append1(2)).toMatchObject({ ok: true, revision: 3 });
        expect(payloads((await opened.other.readStream(name)).events)).toEqual([
          { n: 0 },
          { n: 1 },
          { n: 2 },
          { n: 3 },
        ]);
      });

      it('reads up to the limit', async () => {
        const name = stream();
        await append(name, numbered(5));
        const first = await store.readStream(name, { limit: 2 });
        expect([payloads(first.events), first.revision]).toEqual([[{ n: 0 }, { n: 1 }], 1]);
        const next = await store.readStream(name, { from: 2, limit: 2 });
        expect([payloads(next.events), next.revision]).toEqual([[{ n: 2 }, { n: 3 }], 3]);
        const last = await store.readStream(name, { from: 4, limit: 2 });
        expect([payloads(last.events), last.revision]).toEqual([[{ n: 4 }], 4]);
        await store.erase(name);
        expect(await store.readStream(name, { limit: 1 })).toMatchObject({ revision: 0, erased: true });
      });

      it('reads a stream longer than any page', async () => {
        const name = stream();
        for (let from = 0; from < 2500; from += 500) await append(name, numbered(500, from));
        for (const limit of [undefined, 2500, 3000, 2100]) {
          const { events, revision } = await store.readStream(name, { limit });
          const length = Math.min(2500, limit ?? 2500);
          expect(revision).toBe(length - 1);
          expect(events.map((each) => each.revision)).toEqual(Array.from({ length }, (_, i) => i));
        }
      });

      it('shows an append to other clients at once', async () => {
        const name = stream();
        await append(name, numbered(1));
        expect((await opened.other.readStream(name)).revision).toBe(0);
        expect(opened.other.storeId).toBe(store.storeId);
      });

      it('returns no revision beyond the returned events while others append', async () => {
        const name = stream();
        await append(name, [event('Grown')], 'no-stream');
        let appending = true;
        const growing = (async () => {
          for (let i = 0; i < 60; i++) await append(name, [event('Grown')]);
          appending = false;
        })();
        for (let known = 0; appending; ) {
          const { events, revision } = await opened.other.readStream(name, { from: known + 1 });
          expect(events.map((one) => one.revision)).toEqual(events.map((_, i) => known + 1 + i));
          expect(revision).toBe(known + events.length);
          known += events.length;
        }
        await growing;
      });

      it('rejects an empty append, a duplicate id, and a payload of more than 64 KiB', async () => {
        const twice = event('Twice');
        await expect(store.append(stream(), [], { expected: 'any' })).rejects.toThrow(RangeError);
        await expect(store.append(stream(), [twice, twice], { expected: 'any' })).rejects.toThrow(RangeError);
        const name = stream();
        const long = event('Long', { text: 'ä'.repeat(33_000) });
        await expect(store.append(name, [long], { expected: 'any' })).rejects.toThrow(PayloadTooLargeError);
        expect((await store.readStream(name)).revision).toBe('no-stream');
        await append(name, [event('Fits', { text: 'a'.repeat(65_000) })]);
      });
    });

    describe('expected revision', () => {
      const cases: [ExpectedRevision, { absent: boolean; at1: boolean }][] = [
        ['any', { absent: true, at1: true }],
        ['no-stream', { absent: true, at1: false }],
        ['stream-exists', { absent: false, at1: true }],
        [0, { absent: false, at1: false }],
        [1, { absent: false, at1: true }],
        [2, { absent: false, at1: false }],
      ];
      it.each(cases)('%p', async (expected, fits) => {
        const absent = stream();
        const first = await store.append(absent, numbered(1), { expected });
        expect(first.ok).toBe(fits.absent);
        if (!first.ok) expect(first.conflict).toEqual({ actual: 'no-stream' });

        const name = stream();
        await append(name, numbered(2));
        const second = await store.append(name, numbered(1), { expected });
        expect(second.ok).toBe(fits.at1);
        if (!second.ok) expect(second.conflict).toEqual({ actual: 1 });
        expect((await store.readStream(name)).revision).toBe(fits.at1 ? 2 : 1);
      });

      it('accepts exactly one of many concurrent appends at the same revision', async () => {
        const name = stream();
        const bystander = stream();
        await append(name, numbered(1));
        const racers = Array.from({ length: 20 }, (_, i) =>
          (i % 2 ? store : opened.other).append(name, [event('Racer', { i })], { expected: 0 }),
        );
        const [, ...results] = await Promise.all([append(bystander, numbered(3)), ...racers]);
        expect(results.filter((result) => result.ok)).toHaveLength(1);
        expect((await store.readStream(name)).revision).toBe(1);
        expect((await store.readStream(bystander)).revision).toBe(2);
      });
    });

    describe('idempotency', () => {
      it.each<[string, ExpectedRevision]>([
        ['the same expected revision', 0],
        ['any', 'any'],
      ])('stores a repeated append once: %s', async (_, expected) => {
        const name = stream();
        await append(name, numbered(1));
        const events = numbered(2);
        const first = await append(name, events, expected);
        await append(name, numbered(1));
        expect(await append(name, events, expected)).toEqual(first);
        expect((await store.readStream(name)).revision).toBe(3);
      });

      it('answers a repeated append that created the stream', async () => {
        const name = stream();
        const events = numbered(2);
        const first = await append(name, events, 'no-stream');
        expect(await append(name, events, 'no-stream')).toEqual(first);
      });

      it('reports a conflict if events are stored in part, in another order or at another revision', async () => {
        const name = stream();
        const [a, b, c] = numbered(3) as [NewEvent, NewEvent, NewEvent];
        await append(name, [a, b]);
        for (const [events, expected] of [
          [[b, c], 'any'],
          [[b, a], 'any'],
          [[a, b], 1],
          [[b], 'no-stream'],
        ] as [NewEvent[], ExpectedRevision][]) {
          expect(await store.append(name, events, { expected })).toEqual({ ok: false, conflict: { actual: 1 } });
        }
        expect(ids((await store.readStream(name)).events)).toEqual(ids([a, b]));
      });

      it('stores the same id once per stream', async () => {
        const same = event('Same');
        await append(stream(), [same]);
        await append(stream(), [same]);
      });
    });

    describe('the whole log', () => {
      it('is read in order, page by page, without gaps or repeats', async () => {
        const name = stream();
        const from = await store.head();
        for (let i = 0; i < 5; i++) await append(i % 2 ? name : stream(), numbered(3, i * 3));
        const seen: RecordedEvent[] = [];
        let after = from;
        for (;;) {
          const slice = await store.readAll({ after, limit: 4 });
          expect(slice.events.length).toBeLessThanOrEqual(4);
          seen.push(...slice.events);
          after = slice.position;
          if (slice.end) break;
        }
        expect(payloads(seen)).toEqual(Array.from({ length: 15 }, (_, n) => ({ n })));
        for (let i = 1; i < seen.length; i++) {
          expect(store.compare(seen[i - 1]!.position, seen[i]!.position)).toBeLessThan(0);
        }
        expect(after).toBe(await store.head());
        expect(await store.readAll({ after, limit: 4 })).toEqual({ events: [], position: after, end: true });
      });

      it('filters by category, type and organization', async () => {
        const from = await store.head();
        const organization = 'organization-b' as OrganizationId;
        await append(stream('rare'), [event('Kept', { n: 0 }), event('Other', { n: 1 })]);
        await append(stream('common'), [event('Kept', { n: 2 }), event('Kept', { n: 3 }, { organization })]);
        await append(stream('rare'), [event('Kept', { n: 4 }, { organization })]);
        await append(stream('rarest'), [event('Kept', { n: 5 })]);
        const read = async (filter: EventFilter, limit = 10) => {
          const slice = await store.readAll({ after: from, limit, filter });
          return slice.events.map((each) => each.payload?.n);
        };
        expect(await read({})).toEqual([0, 1, 2, 3, 4, 5]);
        expect(await read({ categories: ['rare'] })).toEqual([0, 1, 4]);
        expect(await read({ categories: ['rarest', 'rare'] })).toEqual([0, 1, 4, 5]);
        expect(await read({ categories: ['rarest', 'rare'] }, 2)).toEqual([0, 1]);
        expect(await read({ categories: ['never', 'common'] })).toEqual([2, 3]);
        expect(await read({ categories: ['never'] })).toEqual([]);
        expect(await read({ types: ['Other'] })).toEqual([1]);
        expect(await read({ types: ['Other', 'Kept'], organization })).toEqual([3, 4]);
        expect(await read({ categories: ['rare'], types: ['Kept'], organization })).toEqual([4]);
      });

      it('is read without payloads on request', async () => {
        const from = await store.head();
        const given = numbered(2);
        await append(stream(), given);
        const { events } = await store.readAll({ after: from, limit: 10, envelopesOnly: true });
        expect(events.map((each) => each.envelope)).toEqual(given.map((each) => each.envelope));
        expect(payloads(events)).toEqual([null, null]);
      });

      it('returns the examined position if nothing matches the filter', async () => {
        await append(stream(), numbered(3));
        const slice = await store.readAll({ after: null, limit: 1, filter: { categories: ['never'] } });
        expect(slice).toEqual({ events: [], position: await store.head(), end: true });
      });
    });

    describe('positions', () => {
      it('are parsed from text; other text is not a position', async () => {
        const { position } = await append(stream(), numbered(1));
        expect(store.parsePosition(String(position))).toBe(position);
        for (const text of ['', 'x', '-1', '1.5', '01', ' 1', '1e3', '99999999999999999999999999']) {
          expect(store.parsePosition(text)).toBeNull();
        }
        expect(() => store.compare('x' as Position, position)).toThrow(RangeError);
        await expect(store.readAll({ after: 'x' as Position, limit: 1 })).rejects.toThrow(RangeError);
      });

      it('are ordered like the events; an append returns the position of its last event', async () => {
        const first = await append(stream(), numbered(2));
        const second = await append(stream(), numbered(1));
        expect(store.compare(first.position, second.position)).toBeLessThan(0);
        expect(store.compare(second.position, first.position)).toBeGreaterThan(0);
        expect(store.compare(first.position, first.position)).toBe(0);
        expect(await store.head()).toBe(second.position);
      });
    });

    describe('subscription', () => {
      /** Collects `count` events, then aborts. */
      async function collect(client: EventStore, after: Position | null, count: number, filter?: EventFilter) {
        const stop = new AbortController();
        const seen: RecordedEvent[] = [];
        const options = { after, signal: stop.signal, batch: 7, ...(filter && { filter }) };
        for await (const slice of client.subscribe(options)) {
          expect(slice.events.length).toBeGreaterThan(0);
          expect(slice.events.length).toBeLessThanOrEqual(7);
          seen.push(...slice.events);
          if (seen.length >= count) stop.abort();
        }
        return seen;
      }

      it('delivers stored and then live events in order and without gaps to many subscribers', async () => {
        const from = await store.head();
        await append(stream(), numbered(30));
        const subscribers = [store, opened.other, store, opened.other].map((client) => collect(client, from, 90));
        for (let n = 30; n < 90; n += 2) {
          await (n % 4 ? store : opened.other).append(stream(), numbered(2, n), { expected: 'no-stream' });
        }
        for (const seen of await Promise.all(subscribers)) {
          expect(payloads(seen)).toEqual(Array.from({ length: 90 }, (_, n) => ({ n })));
        }
      });

      it('delivers only events that match its filter, live ones too', async () => {
        const from = await store.head();
        const subscriber = collect(store, from, 3, { categories: ['wanted'] });
        for (let n = 0; n < 3; n++) {
          await append(stream(), numbered(10, 100));
          await append(stream('wanted'), numbered(1, n));
        }
        expect(payloads(await subscriber)).toEqual([{ n: 0 }, { n: 1 }, { n: 2 }]);
      });

      it('ends when its signal aborts, while waiting or before the start', async () => {
        const stop = new AbortController();
        const waiting = (async () => {
          for await (const _ of store.subscribe({ after: await store.head(), signal: stop.signal })) return 'event';
          return 'ended';
        })();
        await store.head();
        stop.abort();
        expect(await waiting).toBe('ended');
        for await (const _ of store.subscribe({ after: null, signal: stop.signal })) throw new Error('not ended');
      });
    });

    describe('erasure', () => {
      it('removes every payload and keeps the envelopes, for every reader', async () => {
        const name = stream();
        const kept = stream();
        const events = numbered(3);
        const from = await store.head();
        await append(name, events);
        await append(kept, numbered(1, 7));
        await store.erase(name);
        const { events: erased, ...rest } = await opened.other.readStream(name);
        expect(rest).toEqual({ revision: 2, erased: true });
        expect(erased.map((each) => each.envelope)).toEqual(events.map((each) => each.envelope));
        expect(payloads((await store.readAll({ after: from, limit: 10 })).events)).toEqual([
          null,
          null,
          null,
          { n: 7 },
        ]);
        expect((await store.readStream(kept)).erased).toBe(false);
      });

      it('of an append removes the payload of that append too', async () => {
        const name = stream();
        await append(name, numbered(2));
        const last = event('Deleted', { reason: 'asked for' });
        expect(await append(name, [last], 1, { erase: true })).toMatchObject({ revision: 2, erased: true });
        const { events, erased } = await store.readStream(name);
        expect(payloads(events)).toEqual([null, null, null]);
        expect(erased).toBe(true);
      });

      it('of an append that meets a conflict changes nothing', async () => {
        const name = stream();
        await append(name, numbered(2));
        const result = await store.append(name, [event('Deleted')], { expected: 0, erase: true });
        expect(result).toEqual({ ok: false, conflict: { actual: 1 } });
        expect(await store.readStream(name)).toMatchObject({ erased: false, events: [{ payload: { n: 0 } }, {}] });
      });

      it('can be repeated, and accepts a stream that does not exist', async () => {
        const name = stream();
        await store.erase(name);
        expect((await store.readStream(name)).revision).toBe('no-stream');
        const last = event('Deleted');
        await append(name, numbered(1));
        const first = await append(name, [last], 0, { erase: true });
        expect(await append(name, [last], 0, { erase: true })).toEqual(first);
        await store.erase(name);
        expect((await store.readStream(name)).revision).toBe(1);
      });

      it('drops the payloads of later appends', async () => {
        const name = stream();
        await append(name, numbered(1));
        await store.erase(name);
        expect(await append(name, [event('Late', { words: 'of a stage that was still running' })])).toMatchObject({
          erased: true,
        });
        await store.saveSnapshot(name, 1, 'model@1', { words: 'too' });
        expect(payloads((await store.readStream(name)).events)).toEqual([null, null]);
        expect(await store.loadSnapshot(name, 'model@1')).toBeNull();
      });

      it('drops the payloads of later appends by a client that had read the stream before', async () => {
        const name = stream();
        await append(name, numbered(1));
        await opened.other.readStream(name);
        await store.erase(name);
        const late = await opened.other.append(name, numbered(1, 1), { expected: 0 });
        expect(late).toMatchObject({ ok: true, erased: true });
        for (const client of [store, opened.other]) {
          const { events, erased } = await client.readStream(name, { from: 1 });
          expect([payloads(events), erased]).toEqual([[null], true]);
        }
      });
    });

    describe('snapshots', () => {
      it('are stored per stream and name, the newest of each', async () => {
        const name = stream();
        await append(name, numbered(5));
        await store.saveSnapshot(name, 2, 'model@1', { n: 2 });
        await store.saveSnapshot(name, 4, 'model@1', { n: 4 });
        await store.saveSnapshot(name, 3, 'model@1', { n: 3 });
        await store.saveSnapshot(name, 1, 'model@2', { n: 1 });
        expect(await opened.other.loadSnapshot(name, 'model@1')).toEqual({ revision: 4, state: { n: 4 } });
        expect(await store.loadSnapshot(name, 'model@2')).toEqual({ revision: 1, state: { n: 1 } });
        expect(await store.loadSnapshot(name, 'model@3')).toBeNull();
        expect(await store.loadSnapshot(stream(), 'model@1')).toBeNull();
      });

      it('are removed by an erasure', async () => {
        const name = stream();
        await append(name, numbered(2));
        await store.saveSnapshot(name, 1, 'model@1', { words: 'x' });
        await store.erase(name);
        expect(await store.loadSnapshot(name, 'model@1')).toBeNull();
      });
    });

    describe('any history', () => {
      type Step =
        | { kind: 'append'; stream: number; count: number; expected: ExpectedRevision; erase: boolean; client: boolean }
        | { kind: 'repeat'; of: number; client: boolean }
        | { kind: 'erase'; stream: number };
      const index = fc.nat(2);
      const step: fc.Arbitrary<Step> = fc.oneof(
        {
          weight: 6,
          arbitrary: fc.record({
            kind: fc.constant('append' as const),
            stream: index,
            count: fc.integer({ min: 1, max: 3 }),
            expected: fc.constantFrom<ExpectedRevision[]>('any', 'no-stream', 'stream-exists', 0, 1, 2, 3),
            erase: fc.nat(9).map((n) => n === 0),
            client: fc.boolean(),
          }),
        },
        {
          weight: 2,
          arbitrary: fc.record({ kind: fc.constant('repeat' as const), of: fc.nat(9), client: fc.boolean() }),
        },
        { weight: 1, arbitrary: fc.record({ kind: fc.constant('erase' as const), stream: index }) },
      );

      /** Runs the steps of a history, concurrently or in sequence, and returns the acknowledged events. */
      async function play(steps: readonly Step[], together: boolean) {
        const names = [stream(), stream(), stream()];
        const appends: { name: string; events: NewEvent[]; expected: ExpectedRevision }[] = [];
        const acknowledged = new Map<string, { stream: string; revision: number }>();
        const erased = new Set<string>();
        const perform = async (each: Step) => {
          if (each.kind === 'erase') {
            const name = names[each.stream]!;
            await store.erase(name);
            if ((await store.readStream(name)).erased) erased.add(name);
            return;
          }
          const erase = each.kind === 'append' && each.erase;
          const call =
            each.kind === 'append'
              ? { name: names[each.stream]!, events: numbered(each.count), expected: each.expected }
              : appends[each.of];
          if (!call) return;
          if (each.kind === 'append') appends.push(call);
          const client = each.client ? store : opened.other;
          const result = await client.append(call.name, call.events, { expected: call.expected, erase });
          if (!result.ok) return;
          if (result.erased) erased.add(call.name);
          for (const [i, { envelope }] of call.events.entries()) {
            const revision = result.revision - call.events.length + 1 + i;
            const before = acknowledged.get(envelope.id);
            if (before) expect(before.revision).toBe(revision);
            acknowledged.set(envelope.id, { stream: call.name, revision });
          }
        };
        if (together) await Promise.all(steps.map(perform));
        else for (const each of steps) await perform(each);
        return { names, acknowledged, erased };
      }

      it.each([
        ['one after the other', false],
        ['all at once', true],
      ])(
        'leaves gapless streams of exactly what was acknowledged, once, in the order of the log: %s',
        async (_, together) => {
          await fc.assert(
            fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 20 }), async (steps) => {
              const from = await store.head();
              const { names, acknowledged, erased } = await play(steps, together);
              const log: RecordedEvent[] = [];
              for (const name of names) {
                const slice = await store.readStream(name);
                expect(slice.events.map((each) => each.revision)).toEqual(slice.events.map((_, i) => i));
                expect(slice.revision).toBe(slice.events.at(-1)?.revision ?? 'no-stream');
                expect(slice.erased).toBe(erased.has(name));
                for (const each of slice.events) {
                  expect(acknowledged.get(each.envelope.id)).toEqual({ stream: name, revision: each.revision });
                  expect(each.payload === null).toBe(erased.has(name));
                }
                log.push(...slice.events);
              }
              expect(log).toHaveLength(acknowledged.size);
              const all = await store.readAll({ after: from, limit: 1000 });
              expect(all.events).toEqual(log.sort((a, b) => store.compare(a.position, b.position)));
            }),
            { numRuns: 60 },
          );
        },
      );
    });

    it('reads the same log whatever the page size', async () => {
      const whole = ids(await readWholeLog(store, { limit: 1000 }));
      expect(new Set(whole).size).toBeGreaterThan(100);
      expect(ids(await readWholeLog(store, { limit: 333 }))).toEqual(whole);
    });
  });
}
