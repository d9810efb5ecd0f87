import { type ContractContext, ids, type OpenedStore } from './contract/context.contract.ts';
import { erasureContract } from './contract/erasure.contract.ts';
import { historyContract } from './contract/history.contract.ts';
import { logContract } from './contract/log.contract.ts';
import { streamContract } from './contract/streams.contract.ts';
import { togetherContract } from './contract/together.contract.ts';
import { readWholeLog } from './testing.ts';

/**
 * Contract of the event store port, run on every adapter.
 * @param open called once; the tests share the log and use separate streams
 */
export function eventStoreContract(name: string, open: () => Promise<OpenedStore>): void {
  describe(`event store contract: ${name}`, () => {
    let opened: OpenedStore;
    let streams = 0;

    beforeAll(async () => {
      opened = await open();
    });
    afterAll(() => opened.close());

    const context: ContractContext = {
      get store() {
        return opened.store;
      },
      get other() {
        return opened.other;
      },
      stream: (category = 'document') => `${category}-${++streams}x`,
      append: async (name, events, expected = 'any', options = {}) => {
        const result = await opened.store.append(name, events.slice(0, 12), { expected, ...options });
        if (!result.ok) throw new Error(`Conflict at ${result.conflict.actual}`);
        return events.length > 12 ? context.append(name, events.slice(12)) : result;
      },
    };

    streamContract(context);
    togetherContract(context);
    logContract(context);
    erasureContract(context);
    historyContract(context);

    it('reads the same log whatever the page size', async () => {
      const whole = ids(await readWholeLog(opened.store, { limit: 1000 }));
      expect(new Set(whole).size).toBeGreaterThan(100);
      expect(ids(await readWholeLog(opened.store, { limit: 333 }))).toEqual(whole);
    });
  });
}
