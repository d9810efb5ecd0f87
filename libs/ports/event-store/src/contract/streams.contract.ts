import { AppendTooLargeError, PayloadTooLargeError } from '../errors.ts';
import type { ExpectedRevision, NewEvent } from '../port.ts';
import { event, numbered } from '../testing.ts';
import { type ContractContext, ids, payloads } from './context.contract.ts';

export function streamContract(context: ContractContext): void {
  const { stream, append } = context;

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
      const slice = await context.store.readStream(name);
      expect(slice).toMatchObject({ revision: 0, erased: false });
      // Property by property, because a store may return objects with getters.
      const stored = slice.events.map((one) => [one.stream, one.revision, one.position, one.envelope, one.payload]);
      expect(stored).toEqual([[name, 0, position, given.envelope, given.payload]]);
    });

    it('reports a stream that does not exist', async () => {
      expect(await context.store.readStream(stream())).toEqual({ events: [], revision: 'no-stream', erased: false });
    });

    it('counts revisions from 0 and reads from any revision on', async () => {
      const name = stream();
      const events = numbered(5);
      expect((await append(name, events.slice(0, 2))).revision).toBe(1);
      expect((await append(name, events.slice(2))).revision).toBe(4);
      const { events: rest, revision } = await context.store.readStream(name, { from: 3 });
      expect(rest.map((each) => [each.revision, each.payload])).toEqual([
        [3, { n: 3 }],
        [4, { n: 4 }],
      ]);
      expect(revision).toBe(4);
      expect((await context.store.readStream(name, { from: 5 })).events).toEqual([]);
    });

    it('appends events with new ids only at the expected revision, also to a stream that it has not read', async () => {
      const name = stream();
      await append(name, numbered(3));
      const append1 = (expected: number) => context.other.append(name, numbered(1, 3), { expected, newIds: true });
      expect(await append1(1)).toEqual({ ok: false, conflict: { actual: 2 } });
      expect(await append1(2)).toMatchObject({ ok: true, revision: 3 });
      expect(payloads((await context.other.readStream(name)).events)).toEqual([{ n: 0 }, { n: 1 }, { n: 2 }, { n: 3 }]);
    });

    it('reads up to the limit', async () => {
      const name = stream();
      await append(name, numbered(5));
      const first = await context.store.readStream(name, { limit: 2 });
      expect([payloads(first.events), first.revision]).toEqual([[{ n: 0 }, { n: 1 }], 1]);
      const next = await context.store.readStream(name, { from: 2, limit: 2 });
      expect([payloads(next.events), next.revision]).toEqual([[{ n: 2 }, { n: 3 }], 3]);
      const last = await context.store.readStream(name, { from: 4, limit: 2 });
      expect([payloads(last.events), last.revision]).toEqual([[{ n: 4 }], 4]);
      await context.store.erase(name);
      expect(await context.store.readStream(name, { limit: 1 })).toMatchObject({ revision: 0, erased: true });
    });

    it('reads a stream longer than any page', async () => {
      const name = stream();
      for (let from = 0; from < 2500; from += 500) await append(name, numbered(500, from));
      for (const limit of [undefined, 2500, 3000, 2100]) {
        const { events, revision } = await context.store.readStream(name, { limit });
        const length = Math.min(2500, limit ?? 2500);
        expect(revision).toBe(length - 1);
        expect(events.map((each) => each.revision)).toEqual(Array.from({ length }, (_, i) => i));
      }
    });

    it('shows an append to other clients at once', async () => {
      const name = stream();
      await append(name, numbered(1));
      expect((await context.other.readStream(name)).revision).toBe(0);
      expect(context.other.storeId).toBe(context.store.storeId);
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
        const { events, revision } = await context.other.readStream(name, { from: known + 1 });
        expect(events.map((one) => one.revision)).toEqual(events.map((_, i) => known + 1 + i));
        expect(revision).toBe(known + events.length);
        known += events.length;
      }
      await growing;
    });

    it('rejects an empty append, a duplicate id, and a payload of more than 65 KiB', async () => {
      const twice = event('Twice');
      await expect(context.store.append(stream(), [], { expected: 'any' })).rejects.toThrow(RangeError);
      await expect(context.store.append(stream(), [twice, twice], { expected: 'any' })).rejects.toThrow(RangeError);
      const name = stream();
      const long = event('Long', { text: 'ä'.repeat(33_300) });
      await expect(context.store.append(name, [long], { expected: 'any' })).rejects.toThrow(PayloadTooLargeError);
      expect((await context.store.readStream(name)).revision).toBe('no-stream');
      await append(name, [event('Fits', { text: 'a'.repeat(65_000) })]);
    });

    it('rejects more than 12 events or 900 KiB in one append', async () => {
      const name = stream();
      const { store } = context;
      const tags = Array.from({ length: 64 }, (_, i) => `${i}`.padEnd(124));
      const long = (count: number, bytes: number) =>
        Array.from({ length: count }, () => event('Long', { text: 'a'.repeat(bytes) }, { tags }));
      const tooMany = store.append(name, numbered(13), { expected: 'no-stream' });
      await expect(tooMany).rejects.toThrow(AppendTooLargeError);
      const chain = [{ stream: name, events: numbered(13), expected: 'no-stream' }] as const;
      await expect(store.appendTogether([chain])).rejects.toThrow(AppendTooLargeError);
      const wide = Array.from({ length: 200 }, (_, i) => `${i}`.padEnd(255));
      const withWide = long(8, 64_000).map(({ envelope, payload }) => ({
        envelope: { ...envelope, tags: wide },
        payload,
      }));
      await expect(store.append(name, withWide, { expected: 'no-stream' })).rejects.toThrow(AppendTooLargeError);
      expect((await context.store.readStream(name)).revision).toBe('no-stream');
      await append(name, long(12, 65_500));
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
      const first = await context.store.append(absent, numbered(1), { expected });
      expect(first.ok).toBe(fits.absent);
      if (!first.ok) expect(first.conflict).toEqual({ actual: 'no-stream' });

      const name = stream();
      await append(name, numbered(2));
      const second = await context.store.append(name, numbered(1), { expected });
      expect(second.ok).toBe(fits.at1);
      if (!second.ok) expect(second.conflict).toEqual({ actual: 1 });
      expect((await context.store.readStream(name)).revision).toBe(fits.at1 ? 2 : 1);
    });

    it('accepts exactly one of many concurrent appends at the same revision', async () => {
      const name = stream();
      const bystander = stream();
      await append(name, numbered(1));
      const racers = Array.from({ length: 20 }, (_, i) =>
        (i % 2 ? context.store : context.other).append(name, [event('Racer', { i })], { expected: 0 }),
      );
      const [, ...results] = await Promise.all([append(bystander, numbered(3)), ...racers]);
      expect(results.filter((result) => result.ok)).toHaveLength(1);
      expect((await context.store.readStream(name)).revision).toBe(1);
      expect((await context.store.readStream(bystander)).revision).toBe(2);
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
      expect((await context.store.readStream(name)).revision).toBe(3);
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
        expect(await context.store.append(name, events, { expected })).toEqual({ ok: false, conflict: { actual: 1 } });
      }
      expect(ids((await context.store.readStream(name)).events)).toEqual(ids([a, b]));
    });

    it('stores the same id once per stream', async () => {
      const same = event('Same');
      await append(stream(), [same]);
      await append(stream(), [same]);
    });
  });
}
