import type { Connector, Source, SourceContent } from '../../connector.ts';
import { ItemUnreadableError, SourceLostError } from '../../errors.ts';
import type { ConnectorTools } from '../../tools.ts';
import { NotionApi } from './api.ts';
import { blocksOf } from './blocks.ts';
import { listNotion, splitId } from './listing.ts';
import { type DataSource, isGone, type Page, titleOf } from './objects.ts';
import { propertiesOf } from './properties.ts';
import { markdownOf } from './rich-text.ts';
import { type NotionSetup, readSetup } from './setup.ts';

const HOUR_MS = 3_600_000;

/** Pages and databases that a workspace shares with an integration. */
export function notion(tools: ConnectorTools): Connector {
  return {
    ...{ provider: 'notion', missing: null, hasStableIds: true, interval: HOUR_MS, isOfOperator: false },
    readSetup,
    open: async ({ setup, secrets }) => {
      const token = await secrets.get('token');
      if (token === null) throw new SourceLostError('the token is not there any more');
      return openNotion(setup as unknown as NotionSetup, token, tools);
    },
  };
}

async function openNotion({ apiUrl }: NotionSetup, token: string, tools: ConnectorTools): Promise<Source> {
  const { Client, LogLevel } = await import('@notionhq/client');
  const guarded = tools.fetch({ hosts: [new URL(apiUrl).host] });
  const titles = new Map<string, string>();
  /** The client knows no signals, so that each piece of work has one of its own. */
  const apiOf = (signal: AbortSignal) => {
    const fetch = (url: string, init?: object) => guarded(url, { ...init, signal });
    const settings = { retry: false, logLevel: LogLevel.ERROR, logger: () => {} } as const;
    return new NotionApi(new Client({ auth: token, baseUrl: apiUrl, fetch, ...settings }), signal);
  };
  return {
    list: (cursor, signal) => listNotion({ api: apiOf(signal), now: () => tools.clock.now(), titles, signal }, cursor),
    fetch: async (item, use, signal) => {
      const api = apiOf(signal);
      const [kind, id] = splitId(item.id);
      return use(await (kind === 'page' ? pageContent(api, id, titles) : databaseContent(api, id)));
    },
    close: async () => {},
  };
}

async function pageContent(api: NotionApi, id: string, titles: ReadonlyMap<string, string>): Promise<SourceContent> {
  const page = await api.get<Page>(`pages/${id}`);
  if (isGone(page)) throw new ItemUnreadableError('it is in the trash');
  const properties = await propertiesOf(api, page, (other) => titles.get(other));
  return contentOf([`# ${titleOf(page)}`, properties.join('  \n'), await blocksOf(api, id)]);
}

/** Its rows are pages of their own. */
async function databaseContent(api: NotionApi, id: string): Promise<SourceContent> {
  const source = await api.get<DataSource>(`data_sources/${id}`);
  if (isGone(source)) throw new ItemUnreadableError('it is in the trash');
  const properties = Object.entries(source.properties).map(([name, property]) => {
    const { options = [] } = (property[property.type] ?? {}) as { options?: readonly { readonly name: string }[] };
    return `- ${name}${options.length === 0 ? '' : `: ${options.map((option) => option.name).join(', ')}`}`;
  });
  return contentOf([`# ${titleOf(source)}`, markdownOf(source.description), properties.join('\n')]);
}

const contentOf = (parts: readonly string[]): SourceContent => ({
  type: 'notion_doc',
  text: `${parts.filter((part) => part.trim() !== '').join('\n\n')}\n`,
});
