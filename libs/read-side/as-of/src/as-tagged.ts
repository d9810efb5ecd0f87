import { tagsAt } from '#platform/kernel';
import type { DocumentRow } from '#read-side/views';

/** Returns a unit of a row with the tags that the row had at a time. @param at milliseconds since the epoch */
export const asTagged = <T extends { readonly document: DocumentRow }>(unit: T, at: number): T => ({
  ...unit,
  document: { ...unit.document, tags: tagsAt(unit.document, at) },
});
