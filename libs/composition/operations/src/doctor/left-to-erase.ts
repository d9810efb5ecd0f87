import { countUnswept } from '#features/documents/clean-up';
import { type Check, logOf, mebibytes, ok, repositoryOf, sizeOf, UnknownResultError, warning } from './check.ts';

/** A write-ahead log is truncated within seconds after an erasure. A larger one was not. */
const LARGE_LOG = 64 * 1024 * 1024;

/**
 * Deleted data remains in write-ahead logs until they are truncated, and in OpenSearch segments until they are merged. The
 * garbage collection checks each deletion again, after an outage of an engine.
 */
export const leftToErase: Check = {
  name: 'left to erase',
  about: 'Deleted content that is still in files; no answer shows it.',
  async run(context, { openSearch: inspection }) {
    const { engines, config, server } = context;
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
        throw new UnknownResultError('OpenSearch');
      });
      found.push(`OpenSearch: ${deleted} of ${rows + deleted} rows wait for a merge`);
    }
    const unswept = await countUnswept(logOf(context), await repositoryOf(context).erasures.load());
    if (unswept > 0) found.push(`${unswept} deletions that the next garbage collection checks`);
    const detail = found.length === 0 ? 'write-ahead logs are empty' : found.join(', ');
    if (logs.every(({ bytes }) => bytes <= LARGE_LOG)) return ok(detail);
    const advice =
      server === null
        ? 'A server truncates them when it starts.'
        : 'Another program, e.g. a backup tool, reads the file. End it.';
    return warning(detail, advice);
  },
};
