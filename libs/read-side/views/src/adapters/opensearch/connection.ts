import { setTimeout as pause } from 'node:timers/promises';
import { Client, errors } from '@opensearch-project/opensearch';
import { type Json, translateFileError } from '#platform/kernel';
import { EngineRefusalError, ViewsMissingError, ViewsOverloadedError, ViewsUnreachableError } from './errors.ts';

/** JSON that is sent to OpenSearch. */
export type Body = { readonly [key: string]: Json | readonly Json[] | Body | readonly Body[] | undefined };

export interface Call {
  readonly method: 'GET' | 'PUT' | 'POST' | 'DELETE' | 'HEAD';
  readonly path: string;
  readonly query?: Readonly<Record<string, string | number | boolean>>;
  readonly body?: Body;
  /** Lines of JSON in place of one body; each ends in a line feed. */
  readonly lines?: string;
}

export interface Hit<Source> {
  readonly _id: string;
  readonly _score: number | null;
  readonly _source: Source;
  readonly sort?: readonly (string | number)[];
  readonly fields?: Readonly<Record<string, readonly (string | number)[] | undefined>>;
  readonly matched_queries?: Readonly<Record<string, number>>;
}

/** Shape of the aggregations that this adapter requests. */
export interface Aggregation {
  readonly value?: number;
  readonly doc_count?: number;
  readonly buckets?: unknown;
  readonly after_key?: Readonly<Record<string, string>>;
}

export interface SearchAnswer<Source = unknown> {
  readonly took: number;
  readonly hits: { readonly total?: { readonly value: number }; readonly hits: readonly Hit<Source>[] };
  readonly aggregations?: Readonly<Record<string, Aggregation>>;
}

export interface Search {
  readonly index: string;
  readonly body: Body;
  /** A missing index counts as empty. */
  readonly optional?: boolean;
}

/** Takes the place of an answer. */
export interface Failure {
  readonly status?: number;
  readonly error?:
    | string
    | { readonly type?: string; readonly reason?: string; readonly root_cause?: readonly FailureReason[] };
}

interface FailureReason {
  readonly type?: string;
  readonly reason?: string;
}

const TRANSIENT_STATUSES: ReadonlySet<number> = new Set([408, 429, 502, 503, 504]);
/** Answered with 403 or 429 while the disk is above its watermark, or the cluster takes no writes. */
const BLOCKED = 'cluster_block_exception';
/** Answered with 500 while a copy of a shard starts, e.g. just after an index was made. */
const STARTING = 'illegal_index_shard_state_exception';
/** Types of errors that say: too much at once. Also answered with statuses other than 429. */
const OVERLOADED: ReadonlySet<string> = new Set([
  'circuit_breaking_exception',
  'rejected_execution_exception',
  'opensearch_rejected_execution_exception',
]);
const TOO_MANY = 429;
const SEARCH_TIMEOUT_MS = 15_000;
/** Milliseconds before a refused search is sent again. Each is extended by up to a half, so that callers spread. */
const PAUSES: readonly number[] = [50, 100, 200, 400, 800];

/** Calls OpenSearch and translates the client's errors into those of `errors.ts`. */
export class Connection {
  readonly #client: Client;
  readonly #nodes: number;
  readonly #pauses: readonly number[];
  #trips = 0;
  #took = 0;

  /**
   * @param url one or several, separated by commas, with credentials if they are needed
   * @param pauses in milliseconds, before each repetition of a search that was refused because of overload
   */
  constructor(url: string, { pauses = PAUSES }: { readonly pauses?: readonly number[] } = {}) {
    const nodes = url.split(',').map((node) => node.trim());
    this.#nodes = nodes.length;
    this.#pauses = pauses;
    this.#client = new Client({ nodes, maxRetries: 0, requestTimeout: SEARCH_TIMEOUT_MS });
  }

  /** Number of searches so far, concurrent ones counted once, and the milliseconds that OpenSearch reports for them. */
  get spent(): { readonly trips: number; readonly took: number } {
    return { trips: this.#trips, took: this.#took };
  }

  /**
   * A call whose connection breaks is sent to the next node: every call may arrive twice.
   * @param milliseconds timeout of an answer
   */
  async call<Answer>({ method, path, query, body, lines }: Call, milliseconds = SEARCH_TIMEOUT_MS): Promise<Answer> {
    const request = {
      method,
      path,
      ...(query && { querystring: query }),
      ...(lines === undefined ? body && { body } : { bulkBody: lines }),
    };
    for (let untried = this.#nodes - 1; ; untried -= 1) {
      try {
        const { body: answer } = await this.#client.transport.request(request, { requestTimeout: milliseconds });
        return answer as Answer;
      } catch (error) {
        if (!(error instanceof errors.ConnectionError) || untried === 0) throw translated(error);
      }
    }
  }

  /**
   * Runs searches in one request. Those that OpenSearch refuses because of overload are sent again after growing pauses.
   * Fails if one of them fails or leaves out a part of the index.
   * @throws ViewsOverloadedError if it stays overloaded
   */
  async search(searches: readonly Search[]): Promise<SearchAnswer[]> {
    const answers: SearchAnswer[] = [];
    let due = searches.map((_, place) => place);
    await this.#patiently(async () => {
      const found = await this.#searchOnce(due.map((place) => searches[place] as Search));
      const refused: number[] = [];
      let refusal: ViewsOverloadedError | null = null;
      for (const [i, answer] of found.entries()) {
        const place = due[i] as number;
        if (answer.error === undefined) answers[place] = answer;
        else {
          refusal = overloadIn(answer);
          refused.push(place);
        }
      }
      due = refused;
      if (refusal !== null) throw refusal;
    });
    return answers;
  }

  async #searchOnce(searches: readonly Search[]): Promise<readonly (SearchAnswer & Failure)[]> {
    const lines = searches
      .map(({ index, body, optional = false }) => {
        const header = { index, allow_partial_search_results: false, ...(optional && { ignore_unavailable: true }) };
        return `${JSON.stringify(header)}\n${JSON.stringify(body)}\n`;
      })
      .join('');
    const query = { max_concurrent_searches: searches.length };
    const { responses, took } = await this.call<{ responses: readonly (SearchAnswer & Failure)[]; took: number }>({
      ...{ method: 'POST', path: '/_msearch', query, lines },
    });
    this.#spend(took);
    return responses;
  }

  /** Runs searches with the scores of named clauses, which OpenSearch returns only for one request each. */
  async scored(searches: readonly Search[]): Promise<SearchAnswer[]> {
    const query = { include_named_queries_score: true, allow_partial_search_results: false };
    const answers = await Promise.all(
      searches.map(({ index, body }) =>
        this.#patiently(() => this.call<SearchAnswer>({ method: 'POST', path: `/${index}/_search`, query, body })),
      ),
    );
    this.#spend(Math.max(...answers.map(({ took }) => took)));
    return answers;
  }

  /** Repeats a search while OpenSearch is overloaded. */
  async #patiently<T>(search: () => Promise<T>): Promise<T> {
    for (let round = 0; ; round += 1) {
      try {
        return await search();
      } catch (error) {
        const wait = this.#pauses[round];
        if (!(error instanceof ViewsOverloadedError) || wait === undefined) throw error;
        await pause(wait * (1 + Math.random() / 2));
      }
    }
  }

  #spend(took: number): void {
    this.#trips += 1;
    this.#took += took;
  }

  async close(): Promise<void> {
    await this.#client.close();
  }
}

function translated(error: unknown): Error {
  if (error instanceof errors.ResponseError) return failureOf(error.statusCode, error.body as Failure);
  if (error instanceof errors.OpenSearchClientError) {
    return new ViewsUnreachableError(`OpenSearch cannot be reached: ${error.message}`, { cause: error });
  }
  return translateFileError(error) as Error;
}

/** @throws what failed, if it is not overload */
function overloadIn(answer: Failure): ViewsOverloadedError {
  const failure = failureOf(answer.status ?? 500, answer);
  if (failure instanceof ViewsOverloadedError) return failure;
  throw failure;
}

/** @param status of the answer; 500 if it has none */
export function failureOf(status: number, { error }: Failure): Error {
  const { type = 'unknown', reason = '' } =
    typeof error === 'object' ? (error.root_cause?.[0] ?? error) : { reason: error };
  if (type === 'index_not_found_exception') {
    return new ViewsMissingError(`the views are not there: ${reason}; they have to be replayed from the log`);
  }
  if (OVERLOADED.has(type) || (status === TOO_MANY && type !== BLOCKED))
    return new ViewsOverloadedError(`OpenSearch answered ${status} ${type}: ${reason}`, { status });
  if (TRANSIENT_STATUSES.has(status) || type === BLOCKED || type === STARTING)
    return new ViewsUnreachableError(`OpenSearch answered ${status} ${type}: ${reason}`, { status });
  return new EngineRefusalError(status, type, reason);
}
