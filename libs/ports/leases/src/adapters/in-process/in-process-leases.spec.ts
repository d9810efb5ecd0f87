import { leasesContract } from '../../leases.contract.ts';
import { InProcessLeases } from './in-process-leases.ts';

describe('InProcessLeases', () => {
  const leases = new InProcessLeases();
  leasesContract(async () => leases);

  it('returns greater fencing tokens after a restart', async () => {
    const tokens: number[] = [];
    const { signal } = new AbortController();
    for (const now of [1_000, 2_000]) {
      await new InProcessLeases({ now: () => now }).hold('x', {
        signal,
        run: async ({ fencingToken }) => void tokens.push(fencingToken),
      });
    }
    expect(tokens).toEqual([1_000, 2_000]);
  });
});
