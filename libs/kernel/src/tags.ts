/** Which tags may be touched: a record matches if it carries at least one of them; `all` is the whole organization. */
export type TagSelection = 'all' | readonly string[];
