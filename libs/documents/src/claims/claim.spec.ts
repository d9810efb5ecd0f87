import { AT, contextOf } from '../testing.ts';
import { type ClaimEvent, decideClaim, decideRelease, evolveClaim, initialClaim } from './claim.ts';

const given = (...events: readonly (readonly ClaimEvent[])[]) =>
  events
    .flat()
    .map((event) => ({ ...contextOf(), ...event }))
    .reduce(evolveClaim, initialClaim);

test('a claim names the document and the request', () => {
  expect(given(decideClaim('doc', 'print'))).toEqual({
    status: 'claimed',
    documentId: 'doc',
    fingerprint: 'print',
    at: Date.parse(AT),
  });
});

test('the owner gives it back', () => {
  const release = decideRelease(given(decideClaim('doc', null)), 'doc');
  expect(release.ok && given(decideClaim('doc', null), release.value)).toEqual(initialClaim);
});

test('nobody else can give it back, and a late release does not take it from the next owner', () => {
  expect(decideRelease(given(decideClaim('doc', null)), 'other')).toEqual({ ok: false, error: 'not_owner' });
  const late = [{ type: 'NameReleased', payload: { documentId: 'doc' } }] as const;
  expect(given(decideClaim('doc', null), decideClaim('next', null), late)).toMatchObject({ documentId: 'next' });
});
