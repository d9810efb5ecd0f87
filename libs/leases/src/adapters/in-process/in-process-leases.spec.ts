import { leasesContract } from '../../leases.contract.ts';
import { InProcessLeases } from './in-process-leases.ts';

describe('InProcessLeases', () => {
  const leases = new InProcessLeases();
  leasesContract(async () => leases);

  it('counts on from where the process before it was', async () => {
    const epochs: number[] = [];
    const { signal } = new AbortController();
    for (const now of [1_000, 2_000]) {
      await new InProcessLeases({ now: () => now }).hold('x', {
        signal,
        run: async ({ epoch }) => void epochs.push(epoch),
      });
    }
    expect(epochs).toEqual([1_000, 2_000]);
  });
});
