import { setTimeout } from 'node:timers/promises';
import type { Client } from '@notionhq/client';
import { FetchFailedError, pauseOf } from '#platform/fetch';
import { ItemUnreadableError, SourceBusyError, SourceLostError } from '../../errors.ts';

const PAGE_SIZE = 100;
/** Notion permits three requests a second on average; a pause this short is a matter of course. Milliseconds. */
const SHORT_PAUSE_MS = 10_000;
const MOST_PAUSES = 5;

export interface NotionList<T> {
  readonly results: readonly T[];
  readonly next_cursor: string | null;
  readonly has_more: boolean;
}

interface AnswerOfError {
  readonly status?: number;
  readonly code?: string;
  readonly message: string;
  readonly headers?: { get?(name: string): string | null };
}

/** What is asked of the API during one listing or reading, with errors as sources have them. */
export class NotionApi {
  readonly #client: Client;
  readonly #signal: AbortSignal;

  constructor(client: Client, signal: AbortSignal) {
    this.#client = client;
    this.#signal = signal;
  }

  /** @throws SourceLostError; SourceBusyError; FetchFailedError; ItemUnreadableError for what is not there */
  async get<T extends object>(path: string, query: Record<string, string | number> = {}): Promise<T> {
    return this.#ask(() => this.#client.request<T>({ method: 'get', path, query }));
  }

  /** All results of a list that is asked for with GET. @throws as `get` */
  list<T>(path: string): AsyncGenerator<T> {
    return pagesOf((cursor) =>
      this.get<NotionList<T>>(path, { page_size: PAGE_SIZE, ...(cursor !== null && { start_cursor: cursor }) }),
    );
  }

  /** All pages and data sources that the integration may read. @throws as `get` */
  search<T>(): AsyncGenerator<T> {
    const sort = { timestamp: 'last_edited_time', direction: 'descending' };
    return pagesOf((cursor) => {
      const body = { sort, page_size: PAGE_SIZE, ...(cursor !== null && { start_cursor: cursor }) };
      return this.#ask(() => this.#client.request<NotionList<T>>({ method: 'post', path: 'search', body }));
    });
  }

  async #ask<T>(request: () => Promise<T>): Promise<T> {
    for (let pauses = 0; ; pauses += 1) {
      try {
        this.#signal.throwIfAborted();
        return await request();
      } catch (error) {
        this.#signal.throwIfAborted();
        const translated = this.#translated(error as AnswerOfError);
        const pause = translated instanceof SourceBusyError ? translated.retryAfter : null;
        if (pause === null || pause > SHORT_PAUSE_MS || pauses === MOST_PAUSES) throw translated;
        await setTimeout(pause, undefined, { signal: this.#signal });
      }
    }
  }

  #translated(error: AnswerOfError): unknown {
    const { status, code, message, headers } = error;
    if (code === 'notionhq_client_request_timeout') {
      return new FetchFailedError('Notion did not answer in time.', { isTemporary: true, cause: error });
    }
    if (status === undefined) return error;
    const said = `Notion answered with status ${status}: ${message}`;
    if (status === 429 || status === 529)
      return new SourceBusyError(said, pauseOf(headers?.get?.('retry-after') ?? null));
    if (status === 401 || status === 403) return new SourceLostError(said);
    if (status === 409 || status >= 500) return new FetchFailedError(said, { isTemporary: true });
    return new ItemUnreadableError(said);
  }
}

async function* pagesOf<T>(ask: (cursor: string | null) => Promise<NotionList<T>>): AsyncGenerator<T> {
  for (let cursor: string | null = null; ; ) {
    const { results, next_cursor, has_more }: NotionList<T> = await ask(cursor);
    yield* results;
    if (!has_more || next_cursor === null) return;
    cursor = next_cursor;
  }
}
