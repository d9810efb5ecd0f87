import { byteRange } from './byte-range.ts';

test.each([
  ['bytes=0-0', { start: 0, end: 1 }],
  ['bytes=2-4', { start: 2, end: 5 }],
  ['bytes=2-', { start: 2, end: 10 }],
  ['bytes=2-99999999999999999999', { start: 2, end: 10 }],
  ['bytes=-3', { start: 7, end: 10 }],
  ['bytes=-30', { start: 0, end: 10 }],
  ['Bytes = 2 - 4', { start: 2, end: 5 }],
  ['bytes=10-', 'unsatisfiable'],
  ['bytes=-0', 'unsatisfiable'],
  ['bytes=4-2', null],
  ['bytes=0-1,3-4', null],
  ['bytes=-', null],
  ['bytes=a-b', null],
  ['lines=0-1', null],
  ['', null],
  [undefined, null],
])('%j of ten bytes', (header, expected) => {
  expect(byteRange(header, 10)).toEqual(expected);
});

test('no part of an empty file can be sent', () => {
  expect([byteRange('bytes=0-', 0), byteRange('bytes=-1', 0)]).toEqual(['unsatisfiable', 'unsatisfiable']);
});
