import { IsContainerTag, IsContainerTags, IsOneOf, IsOrdinal, type Page, pageOfList } from '#platform/input';

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

export const pageFrom = ({ page, limit }: PagedInput, maxLimit: number): Page => ({
  page: Number(page),
  limit: Math.min(Number(limit), maxLimit),
});

/** A page of an ordered list, from 1. */
export interface PagedOptions extends Page {
  readonly sort: 'createdAt' | 'updatedAt';
  readonly order: 'asc' | 'desc';
}

export const pagedOptions = (body: PagedInput, maxLimit: number): PagedOptions => ({
  ...{ sort: body.sort, order: body.order },
  ...pageOfList(body, maxLimit),
});
