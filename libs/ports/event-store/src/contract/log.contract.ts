import type { OrganizationId } from '#platform/kernel';
import { until } from '../../../../platform/kernel/src/testing/eventually.ts';
import type { EventFilter, EventStore, Position, RecordedEvent } from '../port.ts';
import { event, numbered } from '../testing.ts';
import { type ContractContext, payloads } from './context.contract.ts';

const split = (position: Position): readonly string[] => /^(\d+)-(.+)$/.exec(position)?.slice(1) ?? [];

export function logContract(context: ContractContext): void {
  const { stream, append } = context;

  describe('the whole log', () => {
    it('is read in order, page by page, without gaps or repeats', async () => {
      const name = stream();
      const from = await context.store.head();
      for (let i = 0; i < 5; i++) await append(i % 2 ? name : stream(), numbered(3, i * 3));
      const seen: RecordedEvent[] = [];
      let after = from;
      for (;;) {
        const slice = await context.store.readAll({ after, limit: 4 });
        expect(slice.events.length).toBeLessThanOrEqual(4);
        seen.push(...slice.events);
        after = slice.position;
        if (slice.end) break;
      }
      expect(payloads(seen)).toEqual(Array.from({ length: 15 }, (_, n) => ({ n })));
      for (let i = 1; i < seen.length; i++) {
        expect(context.store.compare(seen[i - 1]!.position, seen[i]!.position)).toBeLessThan(0);
      }
      expect(after).toBe(await context.store.head());
      expect(await context.store.readAll({ after, limit: 4 })).toEqual({ events: [], position: after, end: true });
    });

    it('filters by category, type and organization', async () => {
      const from = await context.store.head();
      const organization = 'organization-b' as OrganizationId;
      await append(stream('rare'), [event('Kept', { n: 0 }), event('Other', { n: 1 })]);
      await append(stream('common'), [event('Kept', { n: 2 }), event('Kept', { n: 3 }, { organization })]);
      await append(stream('rare'), [event('Kept', { n: 4 }, { organization })]);
      await append(stream('rarest'), [event('Kept', { n: 5 })]);
      const read = async (filter: EventFilter, limit = 10) => {
        const slice = await context.store.readAll({ after: from, limit, filter });
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
      const from = await context.store.head();
      const given = numbered(2);
      await append(stream(), given);
      const { events } = await context.store.readAll({ after: from, limit: 10, envelopesOnly: true });
      expect(events.map((each) => each.envelope)).toEqual(given.map((each) => each.envelope));
      expect(payloads(events)).toEqual([null, null]);
    });

    it('returns the examined position if nothing matches the filter', async () => {
      await append(stream(), numbered(3));
      const slice = await context.store.readAll({ after: null, limit: 1, filter: { categories: ['never'] } });
      expect(slice).toEqual({ events: [], position: await context.store.head(), end: true });
    });
  });

  describe('positions', () => {
    it('are parsed from text; other text is not a position', async () => {
      const { position } = await append(stream(), numbered(1));
      expect(context.store.parsePosition(String(position))).toBe(position);
      // The beginning of every log.
      expect(await context.store.holds(context.store.parsePosition('0') as Position)).toBe(true);
      for (const text of [
        '',
        'x',
        '1',
        '1-',
        '-1-x',
        '1.5-x',
        '01-x',
        ' 1-x',
        '1-x y',
        '1e3-x',
        `${'9'.repeat(26)}-x`,
      ]) {
        expect(context.store.parsePosition(text)).toBeNull();
      }
      expect(() => context.store.compare('x' as Position, position)).toThrow(RangeError);
      await expect(context.store.readAll({ after: 'x' as Position, limit: 1 })).rejects.toThrow(RangeError);
    });

    it('are ordered like the events; an append returns the position of its last event', async () => {
      const first = await append(stream(), numbered(2));
      const second = await append(stream(), numbered(1));
      expect(context.store.compare(first.position, second.position)).toBeLessThan(0);
      expect(context.store.compare(second.position, first.position)).toBeGreaterThan(0);
      expect(context.store.compare(first.position, first.position)).toBe(0);
      expect(await context.store.head()).toBe(second.position);
      expect(await context.store.knownHead()).toBe(second.position);
    });
  });

  describe('held positions', () => {
    it('are those of events of this log, in the answers of every call', async () => {
      const name = stream();
      const appended = await append(name, numbered(3));
      const { events } = await context.store.readStream(name);
      const subscribed = await (async () => {
        const { signal } = new AbortController();
        for await (const { position } of context.other.subscribe({ after: null, signal })) return position;
        return null;
      })();
      const page = await context.store.readAll({ after: null, limit: 2, filter: { types: ['Numbered'] } });
      const rest = await context.store.readAll({ after: null, limit: 1000, filter: { categories: ['never'] } });
      const positions = [
        ...[appended.position, ...events.map(({ position }) => position)],
        ...[await context.store.head(), subscribed, page.position, rest.position],
      ];
      for (const position of positions) expect(await context.other.holds(position as Position)).toBe(true);
      expect(positions[0]).toBe(positions[3]);
    });

    it('are not those of another event, within an event, or beyond the end', async () => {
      const { position: before } = await append(stream(), numbered(1));
      const { position } = await append(stream(), numbered(1));
      const [number = '', id] = split(position);
      for (const text of [
        `${number}-${split(before)[1]}`,
        `${Number(number) - 1}-${id}`,
        `${Number(number) + 1_000_000}-${id}`,
        'nothing',
      ]) {
        expect(await context.store.holds(text as Position)).toBe(false);
      }
    });

    it('are also those of events without payloads', async () => {
      const name = stream();
      const { position } = await append(name, numbered(1));
      await context.store.erase(name);
      expect(await context.store.holds(position)).toBe(true);
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
      const from = await context.store.head();
      await append(stream(), numbered(30));
      const subscribers = [context.store, context.other, context.store, context.other].map((client) =>
        collect(client, from, 90),
      );
      for (let n = 30; n < 90; n += 2) {
        await (n % 4 ? context.store : context.other).append(stream(), numbered(2, n), { expected: 'no-stream' });
      }
      for (const seen of await Promise.all(subscribers)) {
        expect(payloads(seen)).toEqual(Array.from({ length: 90 }, (_, n) => ({ n })));
      }
    });

    it('delivers only events that match its filter, live ones too', async () => {
      const from = await context.store.head();
      const subscriber = collect(context.store, from, 3, { categories: ['wanted'] });
      for (let n = 0; n < 3; n++) {
        await append(stream(), numbered(10, 100));
        await append(stream('wanted'), numbered(1, n));
      }
      expect(payloads(await subscriber)).toEqual([{ n: 0 }, { n: 1 }, { n: 2 }]);
    });

    it('delivers the same to slow subscribers as to fast ones, and the same as reads return, for every filter', async () => {
      const from = await context.store.head();
      const organization = 'organization-slow' as OrganizationId;
      const filters: EventFilter[] = [
        {},
        { categories: ['slow', 'slower'] },
        { types: ['Kept'] },
        { categories: ['slow'], types: ['Kept'] },
        { organization },
        { types: ['Kept', 'Other'], organization },
      ];
      const append3 = async (n: number) => {
        const three = [0, 1, 2].map((i) =>
          event(i === 1 ? 'Other' : 'Kept', { n: n + i }, i === 2 ? { organization } : {}),
        );
        await (n % 2 ? context.store : context.other).append(stream(n % 4 ? 'slow' : 'slower'), three, {
          expected: 'no-stream',
        });
      };
      const stop = new AbortController();
      const seen = filters.map(() => [] as RecordedEvent[]);
      const following = filters.map(async (filter, i) => {
        for await (const { events } of context.store.subscribe({
          after: from,
          filter,
          signal: stop.signal,
          batch: 4,
        })) {
          seen[i]?.push(...events);
          if (i % 2) await new Promise((resolve) => setTimeout(resolve, 1));
        }
      });
      for (let n = 0; n < 90; n += 3) await append3(n);
      const wanted = await Promise.all(
        filters.map(async (filter) =>
          payloads((await context.store.readAll({ after: from, limit: 100, filter })).events),
        ),
      );
      expect(wanted[0]).toHaveLength(90);
      await until(
        () => seen.map(({ length }) => length),
        (lengths) => lengths.every((length, i) => length >= (wanted[i]?.length ?? 0)),
      );
      stop.abort();
      await Promise.all(following);
      expect(seen.map(payloads)).toEqual(wanted);
    });

    it('ends when its signal aborts, while waiting or before the start', async () => {
      const stop = new AbortController();
      const waiting = (async () => {
        for await (const _ of context.store.subscribe({ after: await context.store.head(), signal: stop.signal }))
          return 'event';
        return 'ended';
      })();
      await context.store.head();
      stop.abort();
      expect(await waiting).toBe('ended');
      for await (const _ of context.store.subscribe({ after: null, signal: stop.signal })) throw new Error('not ended');
    });
  });
}
