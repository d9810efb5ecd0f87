import {
  decideBegin,
  decideSelect,
  evolveVectorSpace,
  initialVectorSpace,
  type VectorSpaceEvent,
} from './vector-space.ts';

const recorded = <E extends VectorSpaceEvent>(event: E) => ({
  ...{ at: '2026-01-02T03:04:05.678Z', organization: '', tags: [], correlationId: 'request-1' },
  ...event,
});
const given = (...events: readonly VectorSpaceEvent[]) =>
  events.map(recorded).reduce(evolveVectorSpace, initialVectorSpace);
const begun = (space: string) => ({ type: 'VectorSpaceBegun', payload: { space } }) as const;
const abandoned = (space: string) => ({ type: 'VectorSpaceAbandoned', payload: { space } }) as const;
const selected = (space: string) => ({ type: 'VectorSpaceSelected', payload: { space } }) as const;

test('a space that is begun is built beside the one that serves', () => {
  expect(decideBegin(given(), 'b', 'default')).toEqual([begun('b')]);
  expect(given(selected('a'), begun('b'))).toEqual({ serving: 'a', coming: 'b' });
});

test('what is begun twice goes on', () => {
  expect(decideBegin(given(begun('b')), 'b', 'default')).toEqual([]);
});

test('of two spaces the one that is begun later counts', () => {
  const state = given(begun('b'), ...decideBegin(given(begun('b')), 'c', 'default'));
  expect(state).toEqual({ serving: null, coming: 'c' });
  expect(decideSelect(state, 'b')).toEqual({ ok: false, error: 'superseded' });
});

test.each([
  ['the chosen one', given(selected('a'), begun('b')), 'a'],
  ['that of the default model', given(begun('b')), 'default'],
])('who asks for the serving space gives up what is built beside it: %s', (_, state, space) => {
  expect(decideBegin(state, space, 'default')).toEqual([abandoned('b')]);
  expect(evolveVectorSpace(state, recorded(abandoned('b'))).coming).toBeNull();
});

test('there is nothing to give up where nothing is being built', () => {
  expect(decideBegin(given(selected('a')), 'a', 'default')).toEqual([]);
});

test('a space that was built serves, and nothing is being built any more', () => {
  const state = given(selected('a'), begun('b'));
  const decided = decideSelect(state, 'b');
  expect(decided).toEqual({ ok: true, value: [selected('b')] });
  expect(given(selected('a'), begun('b'), selected('b'))).toEqual({ serving: 'b', coming: null });
});

test('a space that serves already is selected without an event', () => {
  expect(decideSelect(given(begun('b'), selected('b')), 'b')).toEqual({ ok: true, value: [] });
});

test('a space that was given up is not selected', () => {
  expect(decideSelect(given(begun('b'), abandoned('b')), 'b')).toEqual({ ok: false, error: 'superseded' });
});
