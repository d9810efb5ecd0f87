import type { Json } from '#platform/kernel';
import type { ListingPage, Source, SourceItem } from '../connector.ts';

export interface Listed {
  readonly items: readonly SourceItem[];
  readonly pages: number;
  readonly ends: NonNullable<ListingPage['ends']>;
}

/** Returns a whole listing, its items by their ids in order. */
export async function listAll(source: Source, cursor: Json | null = null): Promise<Listed> {
  const items: SourceItem[] = [];
  let pages = 0;
  for await (const page of source.list(cursor, new AbortController().signal)) {
    items.push(...page.items);
    pages += 1;
    if (page.ends !== null) {
      return { items: items.sort((a, b) => (a.id < b.id ? -1 : 1)), pages, ends: page.ends };
    }
  }
  throw new Error('The listing has no end');
}

/** Returns the content of an item as text. */
export async function readItem(source: Source, item: SourceItem): Promise<string> {
  const read = async (content: Parameters<Parameters<Source['fetch']>[1]>[0]) => {
    if ('text' in content) return content.text;
    const pieces: Uint8Array[] = [];
    for await (const piece of content.body) pieces.push(piece);
    return Buffer.concat(pieces).toString();
  };
  return source.fetch(item, read, new AbortController().signal);
}

export const idsOf = ({ items }: Listed): string[] => items.map(({ id }) => id);
