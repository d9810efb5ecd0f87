import type { Parts } from '#composition/runtime';
import type { runDeletions } from '#features/documents/clean-up';
import { systemScope } from '#platform/kernel';
import { untilShown } from '#read-side/views';

type EraseValues = Parameters<typeof runDeletions>[0]['eraseValues'];

const PAGE = 1_000;

/** Returns what erases the values of a deleted tag, or all values of tags, settings and secrets of an organization. */
export function valueErasure(
  { storage, views, containerTags, settings }: Pick<Parts, 'storage' | 'views' | 'containerTags' | 'settings'>,
  signal: AbortSignal,
): EraseValues {
  /** Waits until the views show what was set before the call. */
  async function tagsWithValues(organization: string): Promise<readonly string[]> {
    await untilShown(views.progress, await storage.store.head(), signal);
    const tags: string[] = [];
    for (let total = 1; tags.length < total; ) {
      const page = { equals: {}, sort: null, order: 'asc', offset: tags.length, limit: PAGE } as const;
      const found = await views.reader.rows({ model: 'tag_values', scope: systemScope(organization), ...page });
      tags.push(...found.rows.map(({ values }) => values.tag as string));
      total = found.rows.length === 0 ? 0 : found.total;
    }
    return tags;
  }

  return async ({ organization, by, tags }, cause) => {
    const scope = systemScope(organization);
    for (const tag of by === 'reset' ? await tagsWithValues(organization) : tags) {
      await containerTags.erase(scope, tag, cause);
    }
    if (by === 'reset') await settings.reset(organization, cause);
  };
}
