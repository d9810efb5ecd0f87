import fc from 'fast-check';
import type { ExpectedRevision, NewEvent, RecordedEvent } from '../port.ts';
import { numbered } from '../testing.ts';
import { type ContractContext } from './context.contract.ts';

export function historyContract(context: ContractContext): void {
  const { stream } = context;

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
          await context.store.erase(name);
          if ((await context.store.readStream(name)).erased) erased.add(name);
          return;
        }
        const erase = each.kind === 'append' && each.erase;
        const call =
          each.kind === 'append'
            ? { name: names[each.stream]!, events: numbered(each.count), expected: each.expected }
            : appends[each.of];
        if (!call) return;
        if (each.kind === 'append') appends.push(call);
        const client = each.client ? context.store : context.other;
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
            const from = await context.store.head();
            const { names, acknowledged, erased } = await play(steps, together);
            const log: RecordedEvent[] = [];
            for (const name of names) {
              const slice = await context.store.readStream(name);
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
            const all = await context.store.readAll({ after: from, limit: 1000 });
            expect(all.events).toEqual(log.sort((a, b) => context.store.compare(a.position, b.position)));
          }),
          { numRuns: 60 },
        );
      },
    );
  });
}
