/** What every tool says of its argument `containerTag`. */
export const SPACE =
  'Space (container tag). Leave it out for the usual one; if the user names a space, listSpaces has its tag.';

/** What lists say of their arguments `page` and `limit`. */
export const PAGE = { page: 'Number of the page, from 1.', limit: 'Entries on a page.' };
