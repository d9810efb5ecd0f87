import type { OrganizationId } from '#platform/kernel';
import type { CurrentViews, ViewsReader } from '#read-side/views';
import type { SetTimes } from './container-tag-view.ts';

export interface CarriedTags {
  readonly views: ViewsReader;
  /** Tags that a document carries, with the times of their documents. */
  readonly carried: ReadonlyMap<string, SetTimes>;
}

/**
 * Finds which of these tags a document carries. What the views do not show yet is read from the log, so that a tag is
 * known as soon as an add with it is answered.
 */
export async function carriedTags(
  current: CurrentViews,
  organization: OrganizationId,
  tags: readonly string[],
): Promise<CarriedTags> {
  const { views, rest } = await current.readWithRest({ categories: ['document'], organization });
  const carried = new Map<string, SetTimes>();
  // The number of memories at this time is of no concern here.
  for (const { tag, createdAt, updatedAt } of await views.tags({ organization, tags }, 0)) {
    carried.set(tag, { createdAt, updatedAt });
  }
  if (tags.every((tag) => carried.has(tag))) return { views, carried };
  const latest = new Map<string, { readonly tags: readonly string[]; readonly at: number }>();
  for await (const { stream, envelope } of rest) {
    const isDeleted = envelope.type === 'DocumentDeleted';
    latest.set(stream, { tags: isDeleted ? [] : envelope.tags, at: Date.parse(envelope.at) });
  }
  for (const { tags: own, at } of latest.values()) {
    for (const tag of own) {
      if (tags.includes(tag) && !carried.has(tag)) carried.set(tag, { createdAt: at, updatedAt: at });
    }
  }
  return { views, carried };
}
