import { exceedsTagLimits } from '#documents';
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

/** Separates items by whether their document may have their tags, one after the other. @param stored tags that it has */
export function withinTagLimits(
  stored: readonly string[],
  items: readonly Item[],
): { readonly accepted: readonly Item[]; readonly refused: readonly Item[] } {
  const accepted: Item[] = [];
  const refused: Item[] = [];
  const tags = new Set(stored);
  for (const item of items) {
    const added = item.document.tags.filter((tag) => !tags.has(tag));
    const isRefused = added.length > 0 && exceedsTagLimits([...tags, ...added]);
    (isRefused ? refused : accepted).push(item);
    if (!isRefused) for (const tag of added) tags.add(tag);
  }
  return { accepted, refused };
}

const timeOf = (date: string | null): number => (date === null ? Number.POSITIVE_INFINITY : Date.parse(date));
