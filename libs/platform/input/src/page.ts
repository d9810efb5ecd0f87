/** Beyond the end of any list, and exact when multiplied by a limit. */
const MAX_PAGE = 1_000_000_000;

/** A page of a list, from 1, as its answer names it. */
export interface Page {
  readonly page: number;
  readonly limit: number;
}

/** Returns the page that `IsOrdinal` fields name. @param maxLimit a larger limit counts as this one */
export const pageOfList = (
  { page, limit }: { readonly page: number | string; readonly limit: number | string },
  maxLimit: number,
): Page => ({ page: Math.min(Number(page), MAX_PAGE), limit: Math.min(Number(limit), maxLimit) });
