import { randomBytes } from 'node:crypto';
import { analyticsStoreContract, retainedNumberContract } from '../../analytics-store.contract.ts';
import { OpenSearchAnalytics } from './opensearch-analytics.ts';

const url = process.env.MNEME_TEST_OPENSEARCH_URL as string;
if (!url) throw new Error('MNEME_TEST_OPENSEARCH_URL must name an OpenSearch, e.g. http://127.0.0.1:9200');

describe('OpenSearchAnalytics', () => {
  let prefix: string;
  let store: OpenSearchAnalytics;
  beforeEach(() => {
    prefix = `test-${randomBytes(6).toString('hex')}`;
    store = new OpenSearchAnalytics({ url, prefix, shards: 1, replicas: 0 });
  });
  afterEach(async () => {
    await store.close();
    for (const index of ['requests', 'periods']) {
      await fetch(`${url}/${prefix}-analytics-${index}`, { method: 'DELETE' });
      await fetch(`${url}/_index_template/${prefix}-analytics-${index}`, { method: 'DELETE' });
    }
  });

  analyticsStoreContract(() => store);
  retainedNumberContract(() => store);

  it('a server that does not answer is an error that may pass', async () => {
    const away = new OpenSearchAnalytics({ url: 'http://127.0.0.1:9', prefix: 'x', shards: 1, replicas: 0 });
    await expect(away.forget('o')).rejects.toMatchObject({ kind: 'transient' });
    await away.close();
  });
});
