import { newId } from '../../../platform/kernel/src/index.ts';
import type { QuotaCounts } from './port.ts';

/** Contract of counts that processes share. @param open opens the same counts again with each call */
export function quotaCountsContract(open: () => Promise<QuotaCounts>): void {
  let key: string;
  beforeEach(() => {
    key = `adds.${newId()}`;
  });

  it('a count that was never written is none', async () => {
    expect(await (await open()).read(key)).toBeNull();
  });

  it('a count is what was written last, also after a restart', async () => {
    const records = await open();
    const first = await records.write(key, { used: 1 }, 0);
    const second = await records.write(key, { used: 2 }, first ?? 0);
    expect(await records.read(key)).toEqual({ value: { used: 2 }, revision: second });
    expect(await (await open()).read(key)).toEqual({ value: { used: 2 }, revision: second });
    expect(await records.read(`${key}.other`)).toBeNull();
  });

  it('of writes after the same read, one counts', async () => {
    const records = await open();
    const before = (await records.write(key, { used: 0 }, 0)) ?? 0;
    const written = await Promise.all([1, 2, 3].map((used) => records.write(key, { used }, before)));
    expect(written.filter((revision) => revision !== null)).toHaveLength(1);
    expect(await records.write(key, { used: 9 }, 0)).toBeNull();
  });
}
