import type { Config } from '#platform/config';
import { openGuardedFetch } from '#platform/fetch';
import { type JsonObject, systemClock } from '#platform/kernel';
import type { Connector, ListingPage, Source, SourceItem } from '../../connector.ts';
import type { ConnectorTools } from '../../tools.ts';

/** What connectors are made with that reach stand-ins on loopback addresses. */
export const testTools = (config: Partial<Config> = {}): ConnectorTools => ({
  config: { robots: 'respect', ...config } as Config,
  fetch: openGuardedFetch({ allow: [], loopback: true, proxy: null }),
  clock: systemClock,
  logger: { warn: () => {} },
});

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

/** The content of an item as text. */
export async function contentOf(source: Source, item: SourceItem): Promise<string> {
  const read = async (content: NonNullable<SourceItem['content']>) => {
    if ('text' in content) return content.text;
    const pieces: Uint8Array[] = [];
    for await (const piece of content.body) pieces.push(piece);
    return Buffer.concat(pieces).toString();
  };
  return item.content === undefined ? source.fetch(item, read, new AbortController().signal) : read(item.content);
}
