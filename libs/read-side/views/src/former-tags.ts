import type { DocumentRow } from './documents.ts';

/** A tag that a row had for a time: milliseconds since the epoch. */
export interface FormerTag {
  readonly tag: string;
  readonly since: number;
  readonly until: number;
}

/** Returns the tags that a row had before the last change of them, as `tagsAt` tells them for each time. */
export function formerTagsOf({ formerTags = [] }: Pick<DocumentRow, 'formerTags'>): readonly FormerTag[] {
  const found: FormerTag[] = [];
  let since = 0;
  for (const { tags, until } of formerTags) {
    // The clocks of processes may differ.
    if (until <= since) continue;
    for (const tag of tags) found.push({ tag, since, until });
    since = until;
  }
  return found;
}
