import type { Connector } from '../../connector.ts';
import type { ConnectorTools } from '../../tools.ts';
import { type CrawlSetup, readSetup } from './setup.ts';

const DAY_MS = 24 * 3_600_000;

/** The pages of a site that everybody can read, and the files to which they lead. */
export function webCrawler(tools: ConnectorTools): Connector {
  const fetch = tools.fetch({ hosts: [] });
  return {
    ...{ provider: 'web-crawler', missing: null, hasStableIds: false, interval: DAY_MS, isOfOperator: false },
    readSetup,
    open: async ({ setup }) => {
      // Parsers are loaded by those who crawl.
      const { openSite } = await import('./site.ts');
      return openSite(setup as unknown as CrawlSetup, fetch, tools);
    },
  };
}
