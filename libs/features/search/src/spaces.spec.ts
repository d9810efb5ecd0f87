import { weightsOf } from './scan/weights.ts';
import { sharesWindows } from './spaces.ts';

test('units share windows in spaces of the second version of a model', () => {
  expect(['e5-small-v2-q.1.384', 'test.1.8', 'test', 'test/2/32'].map(sharesWindows)).toEqual(Array(4).fill(false));
  expect(['e5-small-v2-q.2.384', 'test.10.8'].map(sharesWindows)).toEqual([true, true]);
});

test('chunks are weighed by their words and their memories in these spaces alone', () => {
  const [chunk, memory] = [weightsOf('chunk', 'e5-small-v2-q.2.384'), weightsOf('memory', 'e5-small-v2-q.2.384')];
  expect(chunk.hybrid.bm25Wide).toBeGreaterThan(memory.hybrid.bm25Wide);
  for (const space of ['e5-small-v2-q.1.384', null]) expect(weightsOf('chunk', space)).toBe(memory);
});
