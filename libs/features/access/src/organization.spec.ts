import { err, ok } from '#platform/kernel';
import { record, systemCause } from '#ports/event-store';
import {
  decideChange,
  decideDeleted,
  decideDeletion,
  decideFound,
  foldOrganization,
  initialOrganization,
  ORGANIZATION_EVENTS,
  type OrganizationEvent,
} from './organization.ts';

const founded = decideFound('Acme')[0];
const renamed: OrganizationEvent = { type: 'OrganizationRenamed', payload: { name: 'Acme Ltd' } };
const suspended: OrganizationEvent = { type: 'OrganizationSuspended', payload: null };
const resumed: OrganizationEvent = { type: 'OrganizationResumed', payload: null };
const requested: OrganizationEvent = { type: 'OrganizationDeletionRequested', payload: null };
const deleted: OrganizationEvent = { type: 'OrganizationDeleted', payload: null };

const recorded = (events: readonly OrganizationEvent[]) =>
  record(ORGANIZATION_EVENTS, events, { organization: 'acme', cause: systemCause(), tags: [], now: 0 });

const given = (...events: readonly OrganizationEvent[]) =>
  recorded(events).reduce(foldOrganization, initialOrganization);

test('given a founding, then the organization is active', () => {
  expect(given(founded)).toEqual({
    status: 'present',
    organization: { id: 'acme', name: 'Acme', state: 'active', createdAt: 0 },
  });
});

test.each([
  ['nothing', [], err('organization_not_found')],
  ['a founding', [founded], ok([suspended])],
  ['a suspension', [founded, suspended], ok([])],
  ['a suspension that has ended', [founded, suspended, resumed], ok([suspended])],
  ['a request to delete it', [founded, requested], err('organization_deleting')],
  ['its deletion', [founded, requested, deleted], err('organization_not_found')],
])('given %s, when it is suspended', (_, events, decided) => {
  expect(decideChange(given(...events), { isSuspended: true })).toEqual(decided);
});

test('given an organization, when it gets a name and is resumed, then only what is different is recorded', () => {
  const changes = { name: 'Acme Ltd', isSuspended: false };
  expect(decideChange(given(founded, suspended), changes)).toEqual(ok([renamed, resumed]));
  expect(decideChange(given(founded, renamed), changes)).toEqual(ok([]));
  expect(given(founded, renamed)).toMatchObject({ organization: { name: 'Acme Ltd' } });
});

test.each([
  ['nothing', [], false, err('organization_not_found')],
  ['a founding', [founded], false, ok([requested])],
  ['a suspension', [founded, suspended], false, ok([requested])],
  ['the founding of the only one', [founded], true, err('last_organization')],
  ['a request to delete it', [founded, requested], true, ok([])],
  ['its deletion', [founded, requested, deleted], false, err('organization_not_found')],
])('given %s, when it is to be deleted', (_, events, isLast, decided) => {
  expect(decideDeletion(given(...events), isLast)).toEqual(decided);
});

test.each([
  ['a founding', [founded], []],
  ['a request to delete it', [founded, requested], [deleted]],
  ['its deletion', [founded, requested, deleted], []],
])('given %s, when everything is erased', (_, events, decided) => {
  expect(decideDeleted(given(...events))).toEqual(decided);
});

test('given a deletion whose payloads are erased, then it is still deleted', () => {
  const erased = recorded([founded, renamed, requested, deleted]).map((event) => ({ ...event, payload: null }));
  expect(erased.reduce(foldOrganization, initialOrganization)).toEqual({ status: 'deleted' });
});
