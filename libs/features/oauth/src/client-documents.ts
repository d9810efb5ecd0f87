import { type Fetch, FetchFailedError, FetchRefusedError } from '#platform/fetch';
import { err, isMnemeError, ok, type Result } from '#platform/kernel';
import { type OAuthClient, readDocument } from './clients.ts';

const MAX_BYTES = 10_240;
const TIMEOUT_MS = 10_000;

/** Reads the metadata of clients at their addresses, through the guard for addresses of others. Keeps none. */
export class ClientDocuments {
  readonly #fetch: Fetch;

  constructor(fetch: Fetch) {
    this.#fetch = fetch;
  }

  /** The error is a sentence. @param address as `isDocumentAddress` accepts it */
  async read(address: string): Promise<Result<OAuthClient, string>> {
    const document = await this.#read(address);
    if (!document.ok) return document;
    const metadata = readDocument(address, document.value);
    return metadata.ok ? ok({ id: address, address, ...metadata.value }) : metadata;
  }

  async #read(address: string): Promise<Result<unknown, string>> {
    // Whoever answers under the address says who the client is; an address that it redirects to does not.
    const before = async (url: URL) => {
      if (url.href !== address) throw new FetchFailedError('The address redirects to another one.');
    };
    const request = {
      accept: 'application/json',
      limitOf: () => MAX_BYTES,
      before,
      signal: AbortSignal.timeout(TIMEOUT_MS),
    };
    try {
      return await this.#fetch.get(address, request, async ({ body }) => {
        const parts: Uint8Array[] = [];
        for await (const part of body) parts.push(part);
        return ok(JSON.parse(Buffer.concat(parts).toString('utf8')) as unknown);
      });
    } catch (error) {
      if (error instanceof SyntaxError) return err('it is no JSON');
      if (error instanceof FetchFailedError || error instanceof FetchRefusedError) return err(error.message);
      if (isMnemeError(error)) throw error;
      return err('the address did not answer in time');
    }
  }
}
