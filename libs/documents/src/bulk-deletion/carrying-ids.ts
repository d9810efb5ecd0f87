import type { OrganizationId } from '#kernel';
import type { CarriedIds } from '../memory/carried-ids.ts';
import type { RunningDeletion } from './evolve.ts';
import type { DeletePage } from './selection.ts';

/**
 * Returns a deletion of pages that carries on the ids of memories which other documents say, too. By tag or in whole, all of
 * these are deleted, because only memories of the same tags say the same.
 */
export function carryingIds(
  carriedIds: Pick<CarriedIds, 'leave'>,
  { by, organization }: Pick<RunningDeletion, 'by' | 'organization'>,
  correlationId: string,
  deletePage: DeletePage,
): DeletePage {
  if (by !== 'ids' && by !== 'filepath') return deletePage;
  return (documents) => {
    const documentIds = new Set(documents.map((one) => (typeof one === 'string' ? one : one.id)));
    const leaving = { organization: organization as OrganizationId, documentIds };
    return carriedIds.leave(leaving, correlationId, () => deletePage(documents));
  };
}
