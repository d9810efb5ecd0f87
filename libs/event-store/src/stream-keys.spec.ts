import { MemoryBlobs } from '../../../test/support/eventstoredb/database.ts';
import { streamKeysContract } from './stream-keys.contract.ts';
import { blobStreamKeys } from './stream-keys.ts';

describe('blobStreamKeys', () => {
  streamKeysContract(async () => blobStreamKeys(new MemoryBlobs()));
});
