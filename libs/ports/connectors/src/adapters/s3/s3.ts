import type { Connector } from '../../connector.ts';
import { SourceLostError } from '../../errors.ts';
import type { ConnectorTools } from '../../tools.ts';
import { S3Source } from './s3-source.ts';
import { bucketAddress, readS3Setup, type S3Setup, SECRET } from './setup.ts';

/** Milliseconds. */
const INTERVAL_MS = 60 * 60_000;

/** Buckets of Amazon S3 and of stores that are compatible with it. */
export function s3({ fetch }: ConnectorTools): Connector {
  return {
    ...{ provider: 's3', missing: null, hasStableIds: false, interval: INTERVAL_MS, isOfOperator: false },
    readSetup: readS3Setup,
    open: async (connection) => {
      const setup = connection.setup as S3Setup;
      const secretAccessKey = await connection.secrets.get(SECRET);
      if (secretAccessKey === null)
        throw new SourceLostError('The secretAccessKey of the connection is no longer there.');
      return new S3Source({ setup, secretAccessKey, fetch: fetch({ hosts: [bucketAddress(setup).host] }) });
    },
  };
}
