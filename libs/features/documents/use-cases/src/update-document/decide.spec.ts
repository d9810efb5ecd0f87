import { err, ok } from '#platform/kernel';
import { added, deleted, done, failed, given } from '../../../src/testing.ts';
import { type DetailsUpdate, decideUpdate } from './decide.ts';

const NOTHING: DetailsUpdate = {
  ...{ metadata: null, customId: null, tags: null },
  ...{ filepath: null, taskType: null, documentDate: null },
};
const live = given(added('hello', { metadata: { a: 1 }, customId: 'c' }), ...done());

test('details change in one event, without a new version', () => {
  const details = { customId: 'd', filepath: '/x', taskType: 'superrag', documentDate: '2026-01-02' } as const;
  expect(decideUpdate(live, { ...NOTHING, ...details, metadata: { b: 2 } }, null, 'all')).toEqual(
    ok({ events: [{ type: 'DetailsChanged', payload: { ...details, metadata: { b: 2 } } }], tags: ['t'] }),
  );
});

test('fields that have the value already are not recorded', () => {
  const same = { ...NOTHING, customId: 'c', metadata: { a: 1 }, tags: ['t'], taskType: 'memory' } as const;
  expect(decideUpdate(live, same, null, 'all')).toEqual(ok({ events: [], tags: ['t'] }));
});

test('the tags are replaced, in order', () => {
  expect(decideUpdate(live, { ...NOTHING, tags: ['u', 'v'] }, null, 'all')).toEqual(
    ok({ events: [{ type: 'DetailsChanged', payload: {} }], tags: ['u', 'v'] }),
  );
});

test.each([
  ['adds a tag that the caller may not write', ['t', 'u'], ['t'], false],
  ['removes a tag that the caller may not write', ['u'], ['u'], false],
  ['keeps a tag that the caller may not write', ['t', 'u'], ['u'], true],
  ['changes tags that the caller may write', ['u'], ['t', 'u'], true],
])('an update that %s', (_, tags, writable, isPermitted) => {
  expect(decideUpdate(live, { ...NOTHING, tags }, null, writable).ok).toBe(isPermitted);
});

test.each([
  ['done', live],
  ['failed', given(added(), failed())],
])('equal content of a document that is %s makes a new version', (_, state) => {
  const content = { text: { inline: 'hello' } };
  expect(decideUpdate(state, NOTHING, content, 'all')).toMatchObject(
    ok({ events: [{ type: 'ContentReplaced', contentVersion: 2, payload: { content } }] }),
  );
});

test('a deleted document is not found', () => {
  expect(decideUpdate(given(added(), deleted()), NOTHING, null, 'all')).toEqual(err('not_found'));
});
