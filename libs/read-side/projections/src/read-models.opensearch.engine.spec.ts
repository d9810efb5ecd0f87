import { randomBytes } from 'node:crypto';
import { openOpenSearchReader, openOpenSearchWriter, removeOpenSearchViews } from '#read-side/views';
import { readModelsContract } from './read-models.contract.ts';

const url = process.env.MNEME_TEST_OPENSEARCH_URL;
if (!url)
  throw new Error('MNEME_TEST_OPENSEARCH_URL must name an OpenSearch with the k-NN plugin, e.g. http://127.0.0.1:9200');

readModelsContract('OpenSearch', async () => {
  const prefix = `test-${randomBytes(6).toString('hex')}`;
  let fencingToken = 0;
  return {
    async open(tables) {
      fencingToken += 1;
      const writer = await openOpenSearchWriter({ url, prefix, fencingToken, holder: 'test', tables });
      const reader = await openOpenSearchReader({ url, prefix });
      const close = async () => {
        await reader.close();
        await writer.close();
      };
      return { writer, reader, close };
    },
    remove: () => removeOpenSearchViews({ url, prefix }),
  };
});
