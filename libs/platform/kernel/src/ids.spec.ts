import { contentHash, contentHashOf, derivedId, newId } from './ids.ts';

test('contentHashOf equals contentHash, however the parts are cut', async () => {
  const parts = ['a "key"', '', 'line\nend'];
  expect(await contentHashOf(parts)).toBe(contentHash(...parts));
  expect(await contentHashOf(['a "key"', [], ['line', '\n', 'end']])).toBe(contentHash(...parts));
});

test('derived ids follow from an id and are distinct ids of the same time', () => {
  const id = newId();
  const derived = Array.from({ length: 1000 }, (_, i) => derivedId(id, i));
  expect(derived).toEqual(Array.from({ length: 1000 }, (_, i) => derivedId(id, i)));
  expect(new Set([id, ...derived]).size).toBe(1001);
  for (const one of derived) expect(one).toMatch(new RegExp(`^${id.slice(0, 7)}[A-Za-z0-9]{15}$`));
  expect(derivedId(newId(), 0)).not.toBe(derived[0]);
});
