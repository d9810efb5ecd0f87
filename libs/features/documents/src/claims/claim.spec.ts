import { AT, contextOf } from '../testing.ts';
import {
  type ClaimEvent,
  decideAnswer,
  decideClaim,
  decideRelease,
  decideShare,
  evolveClaim,
  initialClaim,
} from './claim.ts';

const given = (...events: readonly (readonly ClaimEvent[])[]) =>
  events
    .flat()
    .map((event) => ({ ...contextOf(), ...event }))
    .reduce(evolveClaim, initialClaim);

test('a claim records the document and the request', () => {
  expect(given(decideClaim('doc', 'print'))).toEqual({
    status: 'claimed',
    documentId: 'doc',
    fingerprint: 'print',
    answer: null,
    at: Date.parse(AT),
    isShared: false,
  });
});

test('given the owner, then a release frees the name', () => {
  const release = decideRelease(given(decideClaim('doc', null)), 'doc');
  expect(release.ok && given(decideClaim('doc', null), release.value)).toEqual(initialClaim);
});

test('given another owner, then a release is refused or changes nothing', () => {
  expect(decideRelease(given(decideClaim('doc', null)), 'other')).toEqual({ ok: false, error: 'not_owner' });
  const late = [{ type: 'NameReleased', payload: { documentId: 'doc' } }] as const;
  expect(given(decideClaim('doc', null), decideClaim('next', null), late)).toMatchObject({ documentId: 'next' });
});

test('given a shared name, then it stays shared, whoever owns it', () => {
  const shared = [decideClaim('doc', null), decideShare()];
  expect(given(...shared)).toMatchObject({ documentId: 'doc', isShared: true });
  const released = [...shared, [{ type: 'NameReleased', payload: { documentId: 'doc' } }] as const];
  expect(given(...released)).toEqual({ status: 'free', isShared: true });
  expect(given(...released, decideClaim('next', null))).toMatchObject({ documentId: 'next', isShared: true });
});

describe('given an answered request', () => {
  const claimed = decideClaim('seed', 'print');
  const items = [
    { documentId: 'a', status: 'done', revision: 7 },
    { documentId: null, status: 'empty_content', revision: null },
  ];

  test('then the first answer is kept until the name is claimed again', () => {
    const answered = decideAnswer(given(claimed), items);
    const state = given(claimed, answered);
    expect(state).toMatchObject({ documentId: 'seed', answer: items });
    expect(decideAnswer(state, [])).toEqual([]);
    expect(given(claimed, answered, decideClaim('next', 'other'))).toMatchObject({ documentId: 'next', answer: null });
  });
});
