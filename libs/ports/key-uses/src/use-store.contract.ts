import { NotedUses } from './noted-uses.ts';
import type { UseStore } from './port.ts';

/** Contract of where uses of keys are stored. @param open opens the same store again with each call */
export function useStoreContract(open: () => Promise<UseStore>): void {
  let now = 0;
  const clock = { now: () => now };
  const openUses = async () => new NotedUses(await open(), clock);

  it('a use is known to the minute, also to another process once it is stored', async () => {
    const uses = await openUses();
    now = 125_000;
    uses.note('k1');
    expect(await uses.last(['k1', 'k2'])).toEqual(new Map([['k1', 120_000]]));
    await uses.close();
    expect(await (await openUses()).last(['k1', 'k2'])).toEqual(new Map([['k1', 120_000]]));
  });

  it('the last use counts, and those of other keys stay', async () => {
    for (const [key, at] of [
      ['k1', 60_000],
      ['k2', 180_000],
      ['k1', 240_000],
    ] as const) {
      const uses = await openUses();
      now = at;
      uses.note(key);
      await uses.close();
    }
    const last = new Map([
      ['k1', 240_000],
      ['k2', 180_000],
    ]);
    expect(await (await openUses()).last(['k1', 'k2'])).toEqual(last);
  });

  it('what could not be stored is stored later', async () => {
    const store = await open();
    let isAway = true;
    const write: UseStore['write'] = (used) => (isAway ? Promise.reject(new Error('away')) : store.write(used));
    const uses = new NotedUses({ read: (keys) => store.read(keys), write }, clock);
    now = 300_000;
    uses.note('k3');
    await uses.close();
    isAway = false;
    await uses.close();
    expect(await (await openUses()).last(['k3'])).toEqual(new Map([['k3', 300_000]]));
  });
}
