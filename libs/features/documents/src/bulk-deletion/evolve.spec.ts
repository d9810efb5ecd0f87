import { contextOf } from '../testing.ts';
import type { BulkDeletionEvent, OpenDeletionsEvent } from './events.ts';
import { evolveDeletion, evolveOpen, initialDeletion, noneOpen } from './evolve.ts';

const given = (...events: readonly BulkDeletionEvent[]) =>
  events.map((event) => ({ ...contextOf(), tags: ['a'], ...event })).reduce(evolveDeletion, initialDeletion);
const givenOpen = (...events: readonly OpenDeletionsEvent[]) =>
  events.map((event) => ({ ...contextOf(), ...event })).reduce(evolveOpen, noneOpen);

const [ONE, OTHER] = ['1'.repeat(22), '2'.repeat(22)];
const requested: BulkDeletionEvent = {
  type: 'BulkDeletionRequested',
  payload: { by: 'ids', fingerprint: 'print', filepath: null },
};
const selected = (...resolved: readonly string[]): BulkDeletionEvent => ({
  type: 'DocumentsSelected',
  payload: { resolved },
});

test('a request runs with its tags, and its documents without the refused ids', () => {
  expect(given(requested, selected(ONE, 'not_found'), selected('forbidden'))).toEqual({
    ...{ status: 'running', organization: contextOf().organization, tags: ['a'], by: 'ids', fingerprint: 'print' },
    ...{ filepath: null, resolved: [ONE, 'not_found', 'forbidden'], ids: [ONE] },
  });
});

test('given a second request, then the documents of both are deleted, and its own ids are answered', () => {
  const state = given(requested, selected(ONE, 'not_found'), requested, selected(ONE, OTHER));
  expect(state).toMatchObject({ resolved: [ONE, OTHER], ids: [ONE, OTHER] });
});

test('a finished deletion keeps its count', () => {
  const finished = { type: 'BulkDeletionFinished', payload: null, sizes: { documents: 7 } } as const;
  expect(given(requested, selected(ONE), finished)).toEqual({ status: 'finished', documents: 7, unerased: 0 });
});

test('a deletion is open until it is closed', () => {
  const opened = { type: 'BulkDeletionOpened', payload: { deletionId: 'x' } } as const;
  expect(givenOpen(opened)).toEqual({ open: [{ organization: contextOf().organization, id: 'x' }] });
  expect(givenOpen(opened, { type: 'BulkDeletionClosed', payload: { deletionId: 'x' } })).toEqual(noneOpen);
});
