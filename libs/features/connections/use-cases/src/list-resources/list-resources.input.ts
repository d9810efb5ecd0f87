import { IsOrdinal, IsText, pageOfList } from '#platform/input';
import type { Principal } from '#platform/kernel';
import { ListResources } from './list-resources.query.ts';

const MOST = 100;

/** Which resources are listed. */
export class ListResourcesInput {
  /** Number of the page, from 1. */
  @IsOrdinal()
  page: number | string = 1;

  /** Resources of a page, at most 100. */
  @IsOrdinal()
  per_page: number | string = 30;

  /** Id of a folder, whose content is listed. Default: the top. */
  @IsText({ min: 1, max: 255 })
  parent_id?: string;
}

export function listResources(principal: Principal, id: string, input: ListResourcesInput): ListResources {
  const { page, limit: perPage } = pageOfList({ page: input.page, limit: input.per_page }, MOST);
  return new ListResources(principal, id, { page, perPage, parent: input.parent_id ?? null, search: null });
}
