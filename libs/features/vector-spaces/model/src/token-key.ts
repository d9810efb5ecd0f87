import { contentHash } from '#platform/kernel';

/** Key of the tokens of a unit, whose id no other unit has. */
export const tokenKey = (space: string, organization: string, unitId: string): string =>
  contentHash(space, organization, unitId, 'tokens');
