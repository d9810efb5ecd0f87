import { base62 } from './base62.ts';

test.each([
  ['16 zero bytes', Buffer.alloc(16), '0'.repeat(22)],
  ['the largest number of 16 bytes', Buffer.alloc(16, 0xff), '7n42DGM5Tflk9n8mt7Fhc7'],
  ['the largest number of 32 bytes', Buffer.alloc(32, 0xff), 'yhjskwdA6OZ1AL1YmHWZWm8LLG7HjnuCA2j5rOw8Xp1'],
  ['one byte', Uint8Array.of(1), '01'],
  ['big-endian, left-padded', Uint8Array.of(...new Array(30).fill(0), 1, 0), `${'0'.repeat(41)}48`],
  ['no bytes', new Uint8Array(), ''],
])('base62() of %s', (_, bytes, expected) => {
  expect(base62(bytes)).toBe(expected);
});
