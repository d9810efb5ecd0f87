import { AT, contextOf } from '../testing.ts';
import { type ClaimEvent, decideClaim, decideRelease, evolveClaim, initialClaim } from './claim.ts';

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
    documentIds: null,
    at: Date.parse(AT),
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

test('an answered request names the documents of its items until the name is claimed again', () => {
  const answered = [{ type: 'RequestAnswered', payload: { documentIds: ['a', null] } }] as const;
  expect(given(decideClaim('seed', 'print'), answered)).toMatchObject({ documentIds: ['a', null] });
  expect(given(decideClaim('seed', 'print'), answered, decideClaim('next', 'other'))).toMatchObject({
    documentId: 'next',
    documentIds: null,
  });
});
