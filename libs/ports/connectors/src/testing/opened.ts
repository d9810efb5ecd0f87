import type { JsonObject } from '#platform/kernel';
import type { Connector, ListingPage, Source, SourceItem } from '../connector.ts';
import { readItem } from './read-source.ts';

/** Opens a source with the metadata of a request. @throws for metadata that is refused */
export async function opened(connector: Connector, metadata: JsonObject): Promise<Source> {
  const read = connector.readSetup(metadata, 'org');
  if (!read.ok) throw new Error(`${read.error.field}: ${read.error.message}`);
  const secrets = new Map(Object.entries(read.value.secrets));
  return connector.open({
    ...{ connection: 'connection', organization: 'org', setup: read.value.setup },
    secrets: {
      get: async (name) => secrets.get(name) ?? null,
      put: async (name, value) => void secrets.set(name, value),
    },
  });
}

export interface Listed {
  readonly items: readonly SourceItem[];
  readonly removed: readonly string[];
  readonly ends: NonNullable<ListingPage['ends']>;
}

/** A whole listing. */
export async function listed(
  source: Source,
  cursor: Parameters<Source['list']>[0] = null,
  signal: AbortSignal = new AbortController().signal,
): Promise<Listed> {
  const [items, removed]: [SourceItem[], string[]] = [[], []];
  for await (const page of source.list(cursor, signal)) {
    items.push(...page.items);
    removed.push(...page.removed);
    if (page.ends !== null) return { items, removed, ends: page.ends };
  }
  throw new Error('the listing has no end');
}

/** The content of an item as text, also if it came with the listing. */
export async function contentOf(source: Source, item: SourceItem): Promise<string> {
  const { content } = item;
  if (content === undefined) return readItem(source, item);
  return 'text' in content ? content.text : Buffer.concat(await Array.fromAsync(content.body)).toString();
}
