import type { Reading } from './reading.ts';

/** No document is being processed. */
export async function compareProcessing({ key, connection }: Reading): Promise<readonly string[]> {
  const reply = await connection.send({ method: 'GET', path: '/v3/documents/processing' });
  const count: unknown = reply?.body.totalCount;
  return count === 0 ? [] : [`${count} documents of ${key.name} are still processed (${reply?.status})`];
}
