import type { Octokit } from '@octokit/core';
import { FetchFailedError, pauseOf } from '#platform/fetch';
import { isMnemeError } from '#platform/kernel';
import { ItemUnreadableError, SourceBusyError, SourceLostError } from '../../errors.ts';

/** After a refusal of the secondary limits that names no time. Milliseconds. */
const SECONDARY_PAUSE_MS = 60_000;
const PER_PAGE = 100;

export interface GitHubAnswer<T> {
  readonly data: T;
  readonly etag: string | null;
}

interface AnswerOfError {
  readonly status?: number;
  readonly message: string;
  readonly cause?: unknown;
  readonly response?: { readonly headers: Readonly<Record<string, string | number | undefined>> };
}

/** What is asked of the API, with errors as sources have them. */
export class GitHubApi {
  readonly #octokit: Octokit;
  readonly #now: () => number;

  /** @param now milliseconds since the Unix epoch */
  constructor(octokit: Octokit, now: () => number) {
    this.#octokit = octokit;
    this.#now = now;
  }

  /**
   * @param etag of an earlier answer
   * @returns null: it has not changed since
   * @throws SourceLostError; SourceBusyError; FetchFailedError; ItemUnreadableError for what is not there
   */
  async get<T>(path: string, signal: AbortSignal, etag: string | null = null): Promise<GitHubAnswer<T> | null> {
    try {
      const headers = etag === null ? {} : { 'if-none-match': etag };
      const { data, headers: answered } = await this.#octokit.request(`GET ${path}`, { headers, request: { signal } });
      return { data: data as T, etag: answered.etag ?? null };
    } catch (error) {
      signal.throwIfAborted();
      if ((error as AnswerOfError).status === 304) return null;
      throw this.#translated(error as AnswerOfError);
    }
  }

  /** @throws as `get` */
  async read<T>(path: string, signal: AbortSignal): Promise<T> {
    const answer = await this.get<T>(path, signal);
    if (answer === null) throw new FetchFailedError('GitHub answered 304 to a request without a condition.');
    return answer.data;
  }

  /** All pages of a list. @throws as `get` */
  async *pages<T>(path: string, signal: AbortSignal): AsyncGenerator<readonly T[]> {
    for (let page = 1; ; page += 1) {
      const entries = await this.read<readonly T[]>(`${path}per_page=${PER_PAGE}&page=${page}`, signal);
      yield entries;
      if (entries.length < PER_PAGE) return;
    }
  }

  /** Bytes of a file, as they come. @throws as `get` */
  async bytes(path: string, signal: AbortSignal): Promise<AsyncIterable<Uint8Array>> {
    try {
      const { data } = await this.#octokit.request(`GET ${path}`, {
        headers: { accept: 'application/vnd.github.raw+json' },
        request: { signal, parseSuccessResponseBody: false },
      });
      return (data as AsyncIterable<Uint8Array> | null) ?? ReadableStream.from([]);
    } catch (error) {
      signal.throwIfAborted();
      throw this.#translated(error as AnswerOfError);
    }
  }

  #translated(error: AnswerOfError): unknown {
    const { status, response, message, cause } = error;
    // What the guard and the connection say is in the cause, under a status that nobody answered.
    if (isMnemeError(cause)) return cause;
    if (status === undefined || response === undefined) return error;
    const said = `GitHub answered with status ${status}: ${message}`;
    const pause = this.#pause(status, message, response.headers);
    if (pause !== undefined) return new SourceBusyError(said, pause);
    if (status === 401 || status === 403 || status === 451) return new SourceLostError(said);
    if (status >= 500) return new FetchFailedError(said, { isTemporary: true });
    return new ItemUnreadableError(said);
  }

  /** Undefined: it does not ask for one. */
  #pause(status: number, message: string, headers: NonNullable<AnswerOfError['response']>['headers']) {
    if (status !== 403 && status !== 429) return undefined;
    const stated = headers['retry-after'];
    if (stated !== undefined) return pauseOf(String(stated));
    if (String(headers['x-ratelimit-remaining']) === '0') {
      return Math.max(0, Number(headers['x-ratelimit-reset']) * 1_000 - this.#now());
    }
    return status === 429 || /rate limit/i.test(message) ? SECONDARY_PAUSE_MS : undefined;
  }
}
