import { runFixture } from '../testing/run-fixture.ts';

describe('Graph', () => {
  it('builds models that the runtime runs, with names, attributes and sizes that vary', async () => {
    const { dims, data } = await runFixture<{ dims: number[]; data: number[] }>('graph.fixture.ts');
    expect(dims).toEqual([1, 2, 3]);
    expect(data).toEqual([0.5, 2.5, 3.5, 1.5, 3.5, 5.5]);
  });
});
