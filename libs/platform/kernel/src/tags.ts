/** Which tags may be touched: a record matches if it carries at least one of them; `all` is the whole organization. */
export type TagSelection = 'all' | readonly string[];

/** The tag of a new document whose request names none, if the key may write all tags. */
export const DEFAULT_TAG = 'sm_project_default';

/** What may be done with a tag; who may write it may read it, too. */
export interface TagPermission {
  readonly containerTag: string;
  readonly permission: 'read' | 'write';
}

/** Whether two lists name the same tags, in whatever order. Neither names one twice. */
export const haveSameTags = (a: readonly string[], b: readonly string[]): boolean =>
  a.length === b.length && a.every((tag) => b.includes(tag));

/** The tags that a record had until a change of them. */
export interface FormerTags {
  readonly tags: readonly string[];
  /** Milliseconds since the epoch. */
  readonly until: number;
}

/**
 * Returns the tags that a record had at a time.
 * @param formerTags by the times of their changes, the first one first. Absent: they have never changed
 */
export const tagsAt = (
  { tags, formerTags = [] }: { readonly tags: readonly string[]; readonly formerTags?: readonly FormerTags[] },
  at: number,
): readonly string[] => formerTags.find(({ until }) => until > at)?.tags ?? tags;
