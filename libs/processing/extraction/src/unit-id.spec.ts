import { identitiesOf, newUnitKey, unitIdsWith } from './unit-id.ts';

const KEY = '000102030405060708090a0b0c0d0e0f';

test.each([
  ['["memory","Maren is allergic to walnuts.",0]', '056hPOEGbIG0UyCpTY0gMB'],
  ['["memory","Maren is allergic to walnuts.",1]', 'uPIGKvJDqT9GVx4iR8RTbg'],
  ['["chunk","Maren is allergic to walnuts.",0]', 'wElhLWoFWjUoSWWDjiqQBc'],
  ['["memory","Ein \\"Ärger\\" 🙂\\n",0]', '1giu43P52r8i2pnkerJkAH'],
  ['["chunk","a\\ud83d",0]', 'Q0E66okFotRnKnWIZQwO4V'],
])('unitIdsWith() of %s', (identity, expected) => {
  expect(unitIdsWith(KEY)(identity)).toBe(expected);
});

test('identitiesOf() counts equal texts and keeps lone surrogates apart', () => {
  expect([...identitiesOf('memory', ['a "b"', 'c', 'a "b"'])]).toEqual([
    '["memory","a \\"b\\"",0]',
    '["memory","c",0]',
    '["memory","a \\"b\\"",1]',
  ]);
  expect([...identitiesOf('chunk', ['\ud83d', '\ud83e'])]).toEqual(['["chunk","\\ud83d",0]', '["chunk","\\ud83e",0]']);
});

test('newUnitKey() returns 128 random bits', () => {
  expect(newUnitKey()).toMatch(/^[0-9a-f]{32}$/);
  expect(newUnitKey()).not.toBe(newUnitKey());
});
