import { err, ok } from '#platform/kernel';
import { removedState } from '../state.ts';
import { added, deleted, done, failed, given, recorded } from '../testing.ts';
import { decideDelete, decideRemoval } from './decide.ts';

const removal = () => recorded({ type: 'DocumentDeleted', payload: null, code: 'stream_removed' });

test.each([
  ['queued', given(added())],
  ['done', given(added(), ...done())],
  ['failed', given(added(), failed())],
  ['removed by an operator', removedState],
  ['recorded as removed', given(removal())],
])('given a document that is %s, then it is deleted', (_, state) => {
  expect(decideDelete(state)).toEqual(ok([{ type: 'DocumentDeleted', payload: null }]));
});

test.each([
  ['deleted', given(added(), deleted())],
  ['removed, then deleted', given(removal(), deleted())],
])('given a document that is %s, then it is not found', (_, state) => {
  expect(decideDelete(state)).toEqual(err('not_found'));
});

test('given a removed document, then its removal is recorded once; no other document is removed', () => {
  expect(decideRemoval(removedState)).toEqual([{ type: 'DocumentDeleted', payload: null, code: 'stream_removed' }]);
  for (const state of [given(), given(added()), given(added(), deleted()), given(removal())]) {
    expect(decideRemoval(state)).toEqual([]);
  }
});
