import { randomBytes } from 'node:crypto';
import { cutsContract } from '../../cuts.contract.ts';
import { formerUnitsContract } from '../../former-units.contract.ts';
import { memoriesContract } from '../../memories.contract.ts';
import { pastContract } from '../../past.contract.ts';
import { pastTagsContract } from '../../past-tags.contract.ts';
import { repeatsContract } from '../../repeats.contract.ts';
import { type OpenedViews, SHELVES, SPACE } from '../../testing.ts';
import { viewsContract } from '../../views.contract.ts';
import { openOpenSearchReader, openOpenSearchWriter, removeOpenSearchViews } from './open.ts';

const LARGE = 'OpenSearch, every scope too large to be scanned';

const url = process.env.MNEME_TEST_OPENSEARCH_URL as string;
if (!url)
  throw new Error('MNEME_TEST_OPENSEARCH_URL must name an OpenSearch with the k-NN plugin, e.g. http://127.0.0.1:9200');

/** @param mostScanned as of the reader */
const opened = (mostScanned?: number) => async (): Promise<OpenedViews> => {
  const prefix = `test-${randomBytes(6).toString('hex')}`;
  const own = { holder: 'test', space: SPACE, tables: [SHELVES] };
  const writer = await openOpenSearchWriter({ url, prefix, fencingToken: 1, ...own });
  const reader = await openOpenSearchReader({ url, prefix, ...(mostScanned !== undefined && { mostScanned }) });
  const close = async () => {
    await reader.close();
    await writer.close();
    await removeOpenSearchViews({ url, prefix });
  };
  return { writer, reader, close };
};

viewsContract('OpenSearch', opened());
repeatsContract('OpenSearch', opened());
// Searches alone depend on the size of a scope.
viewsContract(LARGE, opened(0), 'searches');
for (const contract of [memoriesContract, cutsContract, pastContract, formerUnitsContract, pastTagsContract]) {
  contract('OpenSearch', opened());
  contract(LARGE, opened(0));
}
