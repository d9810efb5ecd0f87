import type { S3mini } from 's3mini';
import { pauseOf } from '#platform/fetch';
import { isMnemeError, type Json } from '#platform/kernel';
import type { ListingPage, Source, SourceContent, SourceItem } from '../../connector.ts';
import { ItemUnreadableError, SourceBusyError, SourceLostError } from '../../errors.ts';
import { withEncodedKeys } from './plain-keys.ts';
import { bucketAddress, type S3Setup } from './setup.ts';

/** The most that a store lists in one answer. */
const PAGE = 1_000;
type Listed = NonNullable<NonNullable<Awaited<ReturnType<S3mini['listObjectsPaged']>>>['objects']>[number];

export interface S3SourceOptions {
  readonly setup: S3Setup;
  readonly secretAccessKey: string;
  readonly fetch: typeof globalThis.fetch;
}

/** The objects of a bucket whose keys begin with a prefix. Keys are ids. */
export class S3Source implements Source {
  readonly #options: S3SourceOptions;

  constructor(options: S3SourceOptions) {
    this.#options = options;
  }

  async *list(_: Json | null, signal: AbortSignal): AsyncGenerator<ListingPage> {
    const { prefix } = this.#options.setup;
    const client = await this.#client(signal, withPlainKeys);
    for (let token: string | undefined; ; ) {
      const page = await this.#ask(() => client.listObjectsPaged('/', prefix, PAGE, token));
      if (page?.objects === undefined || page.objects === null)
        throw this.#lost('the store knows no such bucket for this key');
      const items = page.objects.map(itemOf).filter(({ id }) => id.startsWith(prefix) && !id.endsWith('/'));
      if (token !== undefined && page.nextContinuationToken === token) throw this.#lost('its listing does not go on');
      token = page.nextContinuationToken;
      yield { items, removed: [], ends: token === undefined ? { listing: 'complete', cursor: null } : null };
      if (token === undefined) return;
    }
  }

  async fetch<T>(item: SourceItem, use: (content: SourceContent) => Promise<T>, signal: AbortSignal): Promise<T> {
    if (!isAddressable(item.id)) throw new ItemUnreadableError('Its key cannot be part of an address.');
    const client = await this.#client(signal, async (response) => response);
    const response = await this.#ask(() => client.getObjectResponse(item.id), true);
    if (response === null) throw new ItemUnreadableError('It is no longer there.');
    const body = response.body ?? ReadableStream.from<Uint8Array>([]);
    try {
      return await use({ type: null, name: item.title, contentType: response.headers.get('content-type'), body });
    } finally {
      // What nobody has read would keep its connection.
      if (!body.locked) await body.cancel();
    }
  }

  async close(): Promise<void> {}

  /** @param read changes an answer before the library reads it */
  async #client(signal: AbortSignal, read: (response: Response) => Promise<Response>): Promise<S3mini> {
    const { S3mini } = await import('s3mini');
    const { setup, secretAccessKey, fetch } = this.#options;
    const { accessKeyId, region } = setup;
    const client = new S3mini({
      ...{ accessKeyId, secretAccessKey, region, endpoint: bucketAddress(setup).href },
      fetch: async (input, init) => {
        // A signature is for one host.
        const response = await fetch(input, { ...init, signal, redirect: 'manual' });
        if (response.status !== 429 && response.status < 500) return read(response);
        await response.body?.cancel();
        const pause = pauseOf(response.headers.get('retry-after'));
        throw new SourceBusyError(`The store answered with status ${response.status}.`, pause);
      },
    });
    // The library leaves characters of prefixes and tokens as they are that a store encodes before it checks the signature.
    return Object.assign(client, { _buildCanonicalQueryString: canonicalQuery });
  }

  async #ask<T>(work: () => Promise<T>, isOfItem = false): Promise<T> {
    try {
      return await work();
    } catch (error) {
      const { status, serviceCode = '' } = error as { readonly status?: number; readonly serviceCode?: string };
      if (isMnemeError(error) || status === undefined) throw error;
      if (isOfItem && status === 403 && (serviceCode === 'AccessDenied' || serviceCode === 'InvalidObjectState')) {
        throw new ItemUnreadableError(`The store does not give it out (${serviceCode}).`, { cause: error });
      }
      throw this.#lost(reasonOf(status, serviceCode), error);
    }
  }

  #lost(reason: string, cause?: unknown): SourceLostError {
    return new SourceLostError(`The bucket ${this.#options.setup.bucket} cannot be read: ${reason}.`, { cause });
  }
}

function reasonOf(status: number, code: string): string {
  switch (code) {
    case 'InvalidAccessKeyId':
      return 'the store does not know the accessKeyId';
    case 'SignatureDoesNotMatch':
      return 'the secretAccessKey is not the one of the accessKeyId';
    case 'AccessDenied':
      return 'the key lacks the permission to list it (s3:ListBucket) and to read from it (s3:GetObject)';
    case 'PermanentRedirect':
    case 'TemporaryRedirect':
    case 'AuthorizationHeaderMalformed':
      return 'it is in another region, or at another endpoint';
    case 'RequestTimeTooSkewed':
      return 'the clock of this machine is wrong';
    default:
      return `the store answered with status ${status}${/^\w+$/.test(code) && code !== 'Unknown' ? ` (${code})` : ''}`;
  }
}

function canonicalQuery(query: Readonly<Record<string, unknown>>): string {
  const pairs = Object.entries(query).map(([name, value]) => `${encoded(name)}=${encoded(String(value))}`);
  return pairs.sort().join('&');
}

const encoded = (text: string): string =>
  encodeURIComponent(text).replace(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`);

async function withPlainKeys(response: Response): Promise<Response> {
  if (!response.ok) return response;
  const { status, headers } = response;
  return new Response(withEncodedKeys(await response.text()), { status, headers });
}

function itemOf({ Key, ETag, Size, LastModified }: Listed): SourceItem {
  const key = decodeURIComponent(Key);
  const updatedAt = Number.isNaN(LastModified.getTime()) ? null : LastModified.toISOString();
  return {
    id: key,
    // Some stores have no ETag of what they did not write.
    version: ETag === '' ? `${Size}-${updatedAt}` : ETag.replaceAll('"', ''),
    path: `/${key}`,
    title: key.slice(key.lastIndexOf('/') + 1),
    ...{ contentType: null, size: Size, link: null, owner: null, createdAt: null, updatedAt },
  };
}

/** Parts such as `..` would lead to another object. */
const isAddressable = (key: string): boolean =>
  !key.startsWith('/') && key.split('/').every((part) => part !== '.' && part !== '..');
