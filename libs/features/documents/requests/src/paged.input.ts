import { IsContainerTag, IsContainerTags, IsOneOf, IsOrdinal } from '#platform/input';

/** Beyond the end of any list, and exact when multiplied by a limit. */
const MAX_PAGE = 1_000_000_000;

export class TaggedInput {
  /** Documents that carry at least one of these. Default: all documents. */
  @IsContainerTags()
  containerTags?: string | string[];

  /** Joined with containerTags. */
  @IsContainerTag()
  containerTag?: string;
}

/** A request for a page of a list. What it lists, and the largest limit, are in the doc comments of each list. */
export class PagedInput extends TaggedInput {
  @IsOrdinal()
  limit: number | string = 10;

  /** Number of the page, from 1. */
  @IsOrdinal()
  page: number | string = 1;

  /** The time by which the list is ordered. */
  @IsOneOf(['createdAt', 'updatedAt'])
  sort: 'createdAt' | 'updatedAt' = 'createdAt';

  /** desc: the newest first. */
  @IsOneOf(['asc', 'desc'])
  order: 'asc' | 'desc' = 'desc';
}

/** A page as its answer names it. */
export interface Page {
  readonly page: number;
  readonly limit: number;
}

export const pageFrom = ({ page, limit }: PagedInput, maxLimit: number): Page => ({
  page: Number(page),
  limit: Math.min(Number(limit), maxLimit),
});

/** A page of an ordered list, from 1. */
export interface PagedOptions extends Page {
  readonly sort: 'createdAt' | 'updatedAt';
  readonly order: 'asc' | 'desc';
}

export function pagedOptions(body: PagedInput, maxLimit: number): PagedOptions {
  const { page, limit } = pageFrom(body, maxLimit);
  return { sort: body.sort, order: body.order, page: Math.min(page, MAX_PAGE), limit };
}
