import { randomBytes } from 'node:crypto';
import { cutsContract } from '../../cuts.contract.ts';
import { formerUnitsContract } from '../../former-units.contract.ts';
import { memoriesContract } from '../../memories.contract.ts';
import { pastContract } from '../../past.contract.ts';
import { pastTagsContract } from '../../past-tags.contract.ts';
import { repeatsContract } from '../../repeats.contract.ts';
import { SHELVES, SPACE } from '../../testing.ts';
import { viewsContract } from '../../views.contract.ts';
import { openOpenSearchReader, openOpenSearchWriter, removeOpenSearchViews } from './open.ts';

const url = process.env.MNEME_TEST_OPENSEARCH_URL;
if (!url)
  throw new Error('MNEME_TEST_OPENSEARCH_URL must name an OpenSearch with the k-NN plugin, e.g. http://127.0.0.1:9200');

const suites = [
  { name: 'OpenSearch', reading: {} },
  { name: 'OpenSearch, every scope too large to be scanned', reading: { mostScanned: 0 } },
];
for (const { name, reading } of suites) {
  const open = async () => {
    const prefix = `test-${randomBytes(6).toString('hex')}`;
    const own = { holder: 'test', space: SPACE, tables: [SHELVES] };
    const writer = await openOpenSearchWriter({ url, prefix, fencingToken: 1, ...own });
    const reader = await openOpenSearchReader({ url, prefix, ...reading });
    const close = async () => {
      await reader.close();
      await writer.close();
      await removeOpenSearchViews({ url, prefix });
    };
    return { writer, reader, close };
  };
  viewsContract(name, open);
  memoriesContract(name, open);
  cutsContract(name, open);
  pastContract(name, open);
  formerUnitsContract(name, open);
  pastTagsContract(name, open);
  repeatsContract(name, open);
}
