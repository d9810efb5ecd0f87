import type { OrganizationId, Scope } from '#platform/kernel';
import { row, unitSet } from '../../../../../read-side/views/src/testing.ts';
import { ORGANIZATION, openUseCases, principalOf, type UseCases } from '../../../../documents/use-cases/src/testing.ts';
import { GetProfileHandler } from './get-profile.handler.ts';
import { GetProfile } from './get-profile.query.ts';
import { ProfileMemories } from './profile-memories.ts';

let useCases: UseCases;
let handler: GetProfileHandler;
beforeAll(async () => {
  useCases = await openUseCases();
  handler = new GetProfileHandler(new ProfileMemories(useCases.currentViews, useCases.pastMemories, useCases.clock));
  await useCases.show(
    [row(ORGANIZATION, { tags: ['a', 'b'] }), unitSet('The kettle is blue.')],
    [row(ORGANIZATION, { tags: ['c'] }), unitSet('The kettle is red.')],
    [row('organization-b' as OrganizationId, { tags: ['a'] }), unitSet('The kettle is green.')],
  );
});
afterAll(() => useCases.close());

const profile = (tags: Scope['tags'], ...sections: GetProfile['options']['sections']) =>
  handler.execute(new GetProfile(principalOf(tags), [], { filter: null, sections }));

test('the profile is of documents with a tag of the scope, in one organization', async () => {
  expect(await profile(['b'], 'static', 'dynamic')).toEqual({ static: [], dynamic: ['The kettle is blue.'] });
  expect(await profile(['x'], 'dynamic')).toEqual({ static: [], dynamic: [] });
  expect(await profile([], 'dynamic')).toEqual({ static: [], dynamic: [] });
});

test('only the sections that are asked for are computed', async () => {
  expect(await profile(['b'], 'static')).toEqual({ static: [], dynamic: [] });
});
