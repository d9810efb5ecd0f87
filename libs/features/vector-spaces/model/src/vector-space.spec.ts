import {
  decideAdopt,
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

test('decideBegin() records the space, and the serving one goes on serving', () => {
  expect(decideBegin(given(), 'b', 'default')).toEqual([begun('b')]);
  expect(given(selected('a'), begun('b'))).toMatchObject({ serving: 'a', coming: 'b' });
});

test('decideAdopt() selects a space in a log that has recorded none', () => {
  expect(decideAdopt(given(), 'b')).toEqual([selected('b')]);
  for (const state of [given(begun('a')), given(selected('a'))]) expect(decideAdopt(state, 'b')).toEqual([]);
});

test('decideBegin() records nothing for the space that is being built', () => {
  expect(decideBegin(given(begun('b')), 'b', 'default')).toEqual([]);
});

test('a space that is begun later replaces the one that is being built', () => {
  const state = given(begun('b'), ...decideBegin(given(begun('b')), 'c', 'default'));
  expect(state).toMatchObject({ serving: null, coming: 'c' });
  expect(decideSelect(state, 'b')).toEqual({ ok: false, error: 'superseded' });
});

test.each([
  ['the selected one', given(selected('a'), begun('b')), 'a'],
  ['that of the group’s initial space', given(begun('b')), 'default'],
])('decideBegin() of the serving space abandons the one that is being built: %s', (_, state, space) => {
  expect(decideBegin(state, space, 'default')).toEqual([abandoned('b')]);
  expect(evolveVectorSpace(state, recorded(abandoned('b'))).coming).toBeNull();
});

test('decideBegin() of the serving space records nothing if none is being built', () => {
  expect(decideBegin(given(selected('a')), 'a', 'default')).toEqual([]);
});

test('decideSelect() makes the space that is being built the serving one', () => {
  const state = given(selected('a'), begun('b'));
  const decided = decideSelect(state, 'b');
  expect(decided).toEqual({ ok: true, value: [selected('b')] });
  expect(given(selected('a'), begun('b'), selected('b'))).toMatchObject({ serving: 'b', coming: null });
});

test('decideSelect() records nothing for the serving space', () => {
  expect(decideSelect(given(begun('b'), selected('b')), 'b')).toEqual({ ok: true, value: [] });
});

test('decideSelect() refuses an abandoned space', () => {
  expect(decideSelect(given(begun('b'), abandoned('b')), 'b')).toEqual({ ok: false, error: 'superseded' });
});

test('choices are the spaces that were selected or abandoned', () => {
  expect(given(selected('a'), begun('b'), begun('c'), abandoned('c')).choices).toBe(2);
});
