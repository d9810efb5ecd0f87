import { err, ok } from '#kernel';
import { added, deleted, done, failed, given } from '../testing.ts';
import { decideDelete } from './decide.ts';

test.each([
  ['queued', given(added())],
  ['done', given(added(), ...done())],
  ['failed', given(added(), failed())],
])('given a document that is %s, then it is deleted', (_, state) => {
  expect(decideDelete(state)).toEqual(ok([{ type: 'DocumentDeleted', payload: null }]));
});

test('given a deleted document, then it is not found', () => {
  expect(decideDelete(given(added(), deleted()))).toEqual(err('not_found'));
});
