import { exceedsTagLimits } from '#documents';
import { ok, type Scope } from '#kernel';
import { type NoTags, tagsOfNew } from '../add-document/tags.ts';
import type { NewText } from './add-documents.command.ts';

/** Items that concern one document, in the order in which they are applied. */
export interface Group {
  /** Null: a document of its own. */
  readonly customId: string | null;
  readonly items: readonly [Item, ...Item[]];
}

export interface Item {
  /** Place in the request, from 0. */
  readonly index: number;
  readonly document: NewText;
}

/**
 * Orders items by their documentDate, oldest first and those without a date last, and puts items with the same customId
 * together. Items that do not differ in this keep the order of the request.
 */
export function groupItems(items: readonly Item[]): readonly Group[] {
  const dated = items.map((item) => ({ item, at: timeOf(item.document.documentDate) }));
  dated.sort((a, b) => (a.at === b.at ? 0 : a.at - b.at));
  const groups = new Map<string, { customId: string | null; items: [Item, ...Item[]] }>();
  for (const { item } of dated) {
    const { customId } = item.document;
    const key = customId === null ? `item ${item.index}` : `customId ${customId}`;
    const group = groups.get(key);
    if (group) group.items.push(item);
    else groups.set(key, { customId, items: [item] });
  }
  return [...groups.values()];
}

/** The tags and the metadata of several items for one document: all tags, and the metadata that was given last. */
export function detailsOf(items: readonly Item[]): Pick<NewText, 'tags' | 'metadata'> {
  return {
    tags: [...new Set(items.flatMap(({ document }) => document.tags))],
    metadata: items.findLast(({ document }) => document.metadata !== null)?.document.metadata ?? null,
  };
}

/** Why the document of an item cannot have its tags. */
export type TagRefusal = NoTags | 'too_many_tags';

/**
 * Separates items by whether their document may have their tags, one after the other. The first one that begins a document
 * has all of its tags.
 * @param stored tags of the document. Null: there is none yet
 */
export function withTags(
  scope: Scope,
  stored: readonly string[] | null,
  items: readonly Item[],
): { readonly accepted: readonly Item[]; readonly refused: ReadonlyMap<Item, TagRefusal> } {
  const accepted: Item[] = [];
  const refused = new Map<Item, TagRefusal>();
  const tags = new Set(stored);
  for (const item of items) {
    const isFirst = stored === null && accepted.length === 0;
    const named = isFirst ? tagsOfNew(scope, item.document.tags) : ok(item.document.tags);
    if (!named.ok) {
      refused.set(item, named.error);
      continue;
    }
    const added = named.value.filter((tag) => !tags.has(tag));
    if (added.length > 0 && exceedsTagLimits([...tags, ...added])) {
      refused.set(item, 'too_many_tags');
      continue;
    }
    for (const tag of added) tags.add(tag);
    accepted.push({ ...item, document: { ...item.document, tags: named.value } });
  }
  return { accepted, refused };
}

const timeOf = (date: string | null): number => (date === null ? Number.POSITIVE_INFINITY : Date.parse(date));
