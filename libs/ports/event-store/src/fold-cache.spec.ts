import { createFoldCache, type Fold } from './fold-cache.ts';

const fold = (revision: number): Fold => ({ revision, state: 'x'.repeat(98), erased: false, snapshot: -1 });
const keys = Array.from({ length: 30 }, (_, i) => `stream ${i}`);

it('keeps streams in work until their work is done, whatever is used meanwhile', () => {
  const cache = createFoldCache({ characters: 1_000, inWork: 3_000 });
  for (const key of keys) cache.set(key, fold(0), true);
  // The first in, the first out: the work on each stream ends with a state that is not in work.
  for (const key of keys) {
    expect(cache.get(key)?.revision).toBe(0);
    cache.set(key, fold(1), true);
    cache.set(key, fold(2));
  }
  expect(keys.filter((key) => cache.get(key) !== undefined)).toEqual(keys.slice(-10));
  for (const key of keys) cache.set(key, fold(3), true);
  expect(keys.map((key) => cache.get(key)?.revision)).toEqual(keys.map(() => 3));
});

it('drops the least recently used, and what is deleted', () => {
  const cache = createFoldCache({ characters: 1_000 });
  for (const key of keys.slice(0, 10)) cache.set(key, fold(0));
  cache.get('stream 0');
  cache.set('stream 10', fold(0), true);
  cache.delete('stream 5');
  expect(keys.filter((key) => cache.get(key) !== undefined)).toEqual(
    keys.slice(0, 11).filter((key) => key !== 'stream 1' && key !== 'stream 5'),
  );
});

it('measures a state again when its stream is longer by a sixteenth', () => {
  const cache = createFoldCache({ characters: 1_000 });
  let measured = 0;
  const state = {
    toJSON() {
      measured += 1;
      return 'x'.repeat(98);
    },
  };
  const measuredUntil = (end: number) => {
    for (let revision = 0; revision < end; revision += 1) cache.set('stream', { ...fold(revision), state });
    return measured;
  };
  expect(measuredUntil(16)).toBe(16);
  measured = 0;
  expect(measuredUntil(1_600)).toBeLessThan(120);
});
