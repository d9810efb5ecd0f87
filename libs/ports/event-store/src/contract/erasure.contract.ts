import { event, numbered } from '../testing.ts';
import { type ContractContext, payloads } from './context.contract.ts';

export function erasureContract(context: ContractContext): void {
  const { stream, append } = context;

  describe('erasure', () => {
    it('removes every payload and keeps the envelopes, for every reader', async () => {
      const name = stream();
      const kept = stream();
      const events = numbered(3);
      const from = await context.store.head();
      await append(name, events);
      await append(kept, numbered(1, 7));
      await context.store.erase(name);
      const { events: erased, ...rest } = await context.other.readStream(name);
      expect(rest).toEqual({ revision: 2, erased: true });
      expect(erased.map((each) => each.envelope)).toEqual(events.map((each) => each.envelope));
      expect(payloads((await context.store.readAll({ after: from, limit: 10 })).events)).toEqual([
        null,
        null,
        null,
        { n: 7 },
      ]);
      expect((await context.store.readStream(kept)).erased).toBe(false);
    });

    it('of an append removes the payload of that append too', async () => {
      const name = stream();
      await append(name, numbered(2));
      const last = event('Deleted', { reason: 'asked for' });
      expect(await append(name, [last], 1, { erase: true })).toMatchObject({ revision: 2, erased: true });
      const { events, erased } = await context.store.readStream(name);
      expect(payloads(events)).toEqual([null, null, null]);
      expect(erased).toBe(true);
    });

    it('of an append that meets a conflict changes nothing', async () => {
      const name = stream();
      await append(name, numbered(2));
      const result = await context.store.append(name, [event('Deleted')], { expected: 0, erase: true });
      expect(result).toEqual({ ok: false, conflict: { actual: 1 } });
      expect(await context.store.readStream(name)).toMatchObject({
        erased: false,
        events: [{ payload: { n: 0 } }, {}],
      });
    });

    it('can be repeated, and accepts a stream that does not exist', async () => {
      const name = stream();
      await context.store.erase(name);
      expect((await context.store.readStream(name)).revision).toBe('no-stream');
      const last = event('Deleted');
      await append(name, numbered(1));
      const first = await append(name, [last], 0, { erase: true });
      expect(await append(name, [last], 0, { erase: true })).toEqual(first);
      await context.store.erase(name);
      expect((await context.store.readStream(name)).revision).toBe(1);
    });

    it('drops the payloads of later appends', async () => {
      const name = stream();
      await append(name, numbered(1));
      await context.store.erase(name);
      expect(await append(name, [event('Late', { words: 'of a stage that was still running' })])).toMatchObject({
        erased: true,
      });
      await context.store.saveSnapshot(name, 1, 'model@1', { words: 'too' });
      expect(payloads((await context.store.readStream(name)).events)).toEqual([null, null]);
      expect(await context.store.loadSnapshot(name, 'model@1')).toBeNull();
    });

    it('drops the payloads of later appends by a client that had read the stream before', async () => {
      const name = stream();
      await append(name, numbered(1));
      await context.other.readStream(name);
      await context.store.erase(name);
      const late = await context.other.append(name, numbered(1, 1), { expected: 0 });
      expect(late).toMatchObject({ ok: true, erased: true });
      for (const client of [context.store, context.other]) {
        const { events, erased } = await client.readStream(name, { from: 1 });
        expect([payloads(events), erased]).toEqual([[null], true]);
      }
    });
  });

  describe('snapshots', () => {
    it('are stored per stream and name, the newest of each', async () => {
      const name = stream();
      await append(name, numbered(5));
      await context.store.saveSnapshot(name, 2, 'model@1', { n: 2 });
      await context.store.saveSnapshot(name, 4, 'model@1', { n: 4 });
      await context.store.saveSnapshot(name, 3, 'model@1', { n: 3 });
      await context.store.saveSnapshot(name, 1, 'model@2', { n: 1 });
      expect(await context.other.loadSnapshot(name, 'model@1')).toEqual({ revision: 4, state: { n: 4 } });
      expect(await context.store.loadSnapshot(name, 'model@2')).toEqual({ revision: 1, state: { n: 1 } });
      expect(await context.store.loadSnapshot(name, 'model@3')).toBeNull();
      expect(await context.store.loadSnapshot(stream(), 'model@1')).toBeNull();
    });

    it('are removed by an erasure', async () => {
      const name = stream();
      await append(name, numbered(2));
      await context.store.saveSnapshot(name, 1, 'model@1', { words: 'x' });
      await context.store.erase(name);
      expect(await context.store.loadSnapshot(name, 'model@1')).toBeNull();
    });
  });
}
