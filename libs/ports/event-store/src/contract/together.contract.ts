import type { AppendChain, NewEvent } from '../port.ts';
import { numbered } from '../testing.ts';
import { type ContractContext, payloads } from './context.contract.ts';

export function togetherContract(context: ContractContext): void {
  const { stream, append } = context;
  const events = async (name: string) => payloads((await context.other.readStream(name)).events);

  describe('appends to several streams', () => {
    it('records all of them, in new and in existing streams', async () => {
      const [known, claim, document] = [stream(), stream('customid'), stream()];
      await append(known, numbered(2));
      const chains: AppendChain[] = [
        [{ stream: known, events: numbered(2, 2), expected: 1 }],
        [
          { stream: claim, events: numbered(1), expected: 'no-stream' },
          { stream: document, events: numbered(3), expected: 'no-stream' },
        ],
      ];
      const results = await context.store.appendTogether(chains);
      expect(results).toMatchObject([
        { ok: true, appended: [{ revision: 3, erased: false }] },
        { ok: true, appended: [{ revision: 0 }, { revision: 2 }] },
      ]);
      expect(await events(known)).toEqual([{ n: 0 }, { n: 1 }, { n: 2 }, { n: 3 }]);
      expect(await events(claim)).toEqual([{ n: 0 }]);
      const last = (await context.store.readStream(document)).events.at(-1);
      const result = results[1];
      expect(result?.ok && result.appended[1]?.position).toBe(last?.position);
    });

    it('records several appends to one stream, one after the other', async () => {
      const [created, known, other] = [stream(), stream(), stream()];
      await append(known, numbered(1));
      const results = await context.store.appendTogether([
        [
          { stream: created, events: numbered(12), expected: 'no-stream' },
          { stream: created, events: numbered(2, 12), expected: 11 },
          { stream: other, events: numbered(1), expected: 'no-stream' },
        ],
        [
          { stream: known, events: numbered(1, 1), expected: 0 },
          { stream: known, events: numbered(1, 2), expected: 1 },
        ],
      ]);
      expect(results).toMatchObject([
        { ok: true, appended: [{ revision: 11 }, { revision: 13 }, { revision: 0 }] },
        { ok: true, appended: [{ revision: 1 }, { revision: 2 }] },
      ]);
      expect(await events(created)).toEqual(Array.from({ length: 14 }, (_, n) => ({ n })));
      expect(await events(known)).toEqual([{ n: 0 }, { n: 1 }, { n: 2 }]);
    });

    it('names the stream of a conflict, and records nothing after it in its chain', async () => {
      const [known, after, free] = [stream(), stream(), stream()];
      await append(known, numbered(1));
      const results = await context.store.appendTogether([
        [{ stream: free, events: numbered(1), expected: 'no-stream' }],
        [
          { stream: known, events: numbered(1, 1), expected: 'no-stream' },
          { stream: after, events: numbered(1), expected: 'no-stream' },
        ],
      ]);
      expect(results[1]).toEqual({ ok: false, conflict: known, error: null });
      expect(await events(known)).toEqual([{ n: 0 }]);
      expect((await context.store.readStream(after)).revision).toBe('no-stream');
      // A chain is recorded if and only if its result says so.
      expect(await events(free)).toHaveLength(results[0]?.ok ? 1 : 0);
    });

    it('drops payloads for an erased stream', async () => {
      const name = stream();
      await append(name, numbered(1));
      await context.store.erase(name);
      expect(await context.store.appendTogether([[{ stream: name, events: numbered(1), expected: 0 }]])).toMatchObject([
        { ok: true, appended: [{ revision: 1, erased: true }] },
      ]);
      expect(await events(name)).toEqual([null, null]);
    });

    it('takes no chains, and rejects two appends to one stream', async () => {
      expect(await context.store.appendTogether([])).toEqual([]);
      const name = stream();
      const twice = [
        [{ stream: name, events: numbered(1), expected: 'no-stream' }],
        [{ stream: name, events: numbered(1), expected: 0 }],
      ] as const;
      await expect(context.store.appendTogether(twice)).rejects.toThrow(RangeError);
    });

    it('leaves out chains that are refused when they are sent, and records the others', async () => {
      const names = Array.from({ length: 60 }, () => stream());
      const text = 'x'.repeat(30_000);
      const chains: AppendChain[] = names.map((name) => [
        { stream: name, events: numbered(1).map((each) => ({ ...each, payload: { text } })), expected: 'no-stream' },
      ]);
      const firstAndLast = [...chains.slice(0, 1), ...chains.slice(-1)];
      const refused = new Set(firstAndLast.flat().flatMap(({ events }) => events.map(({ envelope }) => envelope.id)));
      const refusal = new Error('refused');
      let isRefusing = false;
      const admit = (appended: readonly NewEvent[]) =>
        isRefusing && appended.some(({ envelope }) => refused.has(envelope.id)) ? refusal : null;
      const appending = context.store.appendTogether(chains, { admit });
      // After the call began, and before its last appends are sent.
      isRefusing = true;
      const results = await appending;
      const recorded = await Promise.all(names.map((name) => context.other.readStream(name)));
      expect(recorded.map(({ revision }) => revision)).toEqual(['no-stream', ...Array(58).fill(0), 'no-stream']);
      const left = { ok: false, conflict: null, error: refusal };
      expect(results).toEqual([left, ...Array(58).fill(expect.objectContaining({ ok: true })), left]);

      expect(await context.store.appendTogether(firstAndLast, { admit })).toEqual([left, left]);
      await expect(
        context.store.append(stream(), numbered(1), { expected: 'no-stream', admit: () => refusal }),
      ).rejects.toThrow(refusal);
    });

    it('records a thousand chains', async () => {
      const names = Array.from({ length: 1000 }, () => stream());
      const results = await context.store.appendTogether(
        names.map((name) => [{ stream: name, events: numbered(1), expected: 'no-stream' }]),
      );
      expect(results.every(({ ok }) => ok)).toBe(true);
      expect(await events(names.at(-1) as string)).toEqual([{ n: 0 }]);
    });
  });
}
