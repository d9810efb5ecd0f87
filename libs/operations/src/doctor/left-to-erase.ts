import { type Check, mebibytes, NotKnownError, ok, sizeOf } from './check.ts';

/** Write-ahead logs are emptied seconds after an erasure; a larger one is not. */
const LARGE_LOG = 64 * 1024 * 1024;

/** Deleted data remains in write-ahead logs until they are emptied, and in OpenSearch segments until they are merged. */
export const leftToErase: Check = {
  name: 'left to erase',
  async run({ engines, config, server }, { openSearch: inspection }) {
    const { files } = engines;
    const { eventStoreUrl, openSearchUrl, natsUrl } = config;
    const owned = [
      ...(eventStoreUrl === null ? [files.events] : []),
      ...(openSearchUrl === null ? [files.views] : []),
      ...(natsUrl === null ? [files.vectors] : []),
    ];
    const logs = await Promise.all(
      owned.map(async (file) => ({ file: `${file}-wal`, bytes: await sizeOf(`${file}-wal`) })),
    );
    const found = logs.filter(({ bytes }) => bytes > 0).map(({ file, bytes }) => `${file} ${mebibytes(bytes)}`);
    if (inspection !== null) {
      const { rows, deleted } = await inspection.catch(() => {
        throw new NotKnownError('OpenSearch');
      });
      found.push(`OpenSearch: ${deleted} of ${rows + deleted} rows wait for a merge`);
    }
    const detail = found.length === 0 ? 'write-ahead logs are empty' : found.join(', ');
    if (logs.every(({ bytes }) => bytes <= LARGE_LOG)) return ok('left to erase', detail);
    const advice =
      server === null
        ? 'A server empties them as it starts.'
        : 'Something holds a file open for reading, a backup tool perhaps.';
    return { name: 'left to erase', state: 'warning', detail, advice };
  },
};
