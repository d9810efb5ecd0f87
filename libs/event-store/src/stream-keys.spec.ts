import { MemoryBlobs } from '../../../test/support/eventstoredb/database.ts';
import { blobStreamKeys } from './stream-keys.ts';

test('among() names the streams that have keys, also those of an append after the erasure', async () => {
  const keys = blobStreamKeys(new MemoryBlobs());
  const id = 'a'.repeat(32);
  for (const stream of ['kept', 'erased', 'late']) await keys.put(stream, id, Uint8Array.of(1));
  for (const stream of ['erased', 'late']) await keys.destroy(stream);
  await keys.put('late', 'b'.repeat(32), Uint8Array.of(2));
  expect(await keys.among(new Set(['erased', 'late', 'never']))).toEqual(['late']);
});
