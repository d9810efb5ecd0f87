import { err, type JsonObject, ok, type Result } from '#platform/kernel';
import type { ReadSetup, SetupRefusal } from '../../connector.ts';

export interface S3Setup extends JsonObject {
  readonly bucket: string;
  readonly region: string;
  /** Without a slash at its end. Null: Amazon. */
  readonly endpoint: string | null;
  /** What keys begin with. */
  readonly prefix: string;
  /** Whether the bucket is in the path, or in the name of the host. */
  readonly pathStyle: boolean;
  /** It is no secret, and shows which key a connection has. */
  readonly accessKeyId: string;
}

/** Of the one secret. */
export const SECRET = 'secretAccessKey';

const BUCKET = /^[a-z0-9][a-z0-9._-]{1,254}$/i;
const REGION = /^[a-z0-9][a-z0-9-]{0,62}$/;
/** Of stores that ask for none. */
const DEFAULT_REGION = 'us-east-1';
/** Of a key and of its secret: what a header can hold. */
const KEY = /^[\x21-\x7e]{1,1024}$/;

export function readS3Setup(metadata: JsonObject): Result<ReadSetup, SetupRefusal> {
  const { accessKeyId, secretAccessKey, bucket, region, endpoint, prefix, pathStyle } = metadata;
  if (typeof accessKeyId !== 'string' || !KEY.test(accessKeyId))
    return refused('accessKeyId', 'must be the id of a key');
  if (typeof secretAccessKey !== 'string' || !KEY.test(secretAccessKey)) {
    return refused(SECRET, 'must be the secret of the key');
  }
  if (typeof bucket !== 'string' || !BUCKET.test(bucket) || bucket.includes('..')) {
    return refused('bucket', 'must be the name of a bucket');
  }
  const address = addressOf(endpoint ?? null);
  if (address === undefined)
    return refused('endpoint', 'must be an address like https://s3.example.com, without a query');
  const place = region ?? (address === null ? null : DEFAULT_REGION);
  if (typeof place !== 'string' || !REGION.test(place)) {
    return refused('region', 'must be the region of the bucket, such as eu-central-1');
  }
  if (typeof (prefix ?? '') !== 'string') return refused('prefix', 'must be a text with which keys begin');
  if (typeof (pathStyle ?? false) !== 'boolean') return refused('pathStyle', 'must be true or false');
  const setup: S3Setup = {
    ...{ accessKeyId, bucket, region: place, endpoint: address, prefix: (prefix ?? '') as string },
    // A certificate of Amazon is for names with one part before the region: a bucket with dots is in the path.
    pathStyle: (pathStyle as boolean | null | undefined) ?? (address !== null || bucket.includes('.')),
  };
  return ok({ setup, secrets: { [SECRET]: secretAccessKey } });
}

const refused = (field: string, message: string) => err({ field, message });

/** Undefined: it is none. */
function addressOf(endpoint: unknown): string | null | undefined {
  if (endpoint === null) return null;
  const url = typeof endpoint === 'string' ? URL.parse(endpoint) : null;
  if (url === null || !/^https?:$/.test(url.protocol)) return undefined;
  return `${url.username}${url.password}${url.search}${url.hash}` === '' ? url.href.replace(/\/+$/, '') : undefined;
}

/** Returns the address below which the objects of the bucket are. */
export function bucketAddress({ endpoint, region, bucket, pathStyle }: S3Setup): URL {
  const base = new URL(endpoint ?? `https://s3.${region}.amazonaws.com${region.startsWith('cn-') ? '.cn' : ''}`);
  if (pathStyle) base.pathname = `${base.pathname.replace(/\/$/, '')}/${bucket}`;
  else base.hostname = `${bucket}.${base.hostname}`;
  return base;
}
