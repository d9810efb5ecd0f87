import { setTimeout as pause } from 'node:timers/promises';
import type { FormerAnswer } from './compare-past.ts';
import { ProcessGone, type Reply, type Target } from './drivers/target.ts';

export interface Answer extends Reply {
  /** More than 1: whether a former attempt was carried out is unknown. */
  readonly attempts: number;
}

const MAX_ATTEMPTS = 50;

/** Sends requests as the public clients do: what got no answer, or a 503, is sent again as a retry. */
export class Client {
  readonly target: Target;
  /** Ids of chunks by document, text and number of equal chunks before it. */
  readonly chunkIds = new Map<string, string>();
  /** Answers of former times. */
  readonly former: FormerAnswer[] = [];
  /** Lives of the target at the last comparison with the model. */
  comparedLives = 0;
  /** For texts and names that must be unique. */
  serial = 0;

  constructor(target: Target) {
    this.target = target;
  }

  /** @param body a function: made for each attempt */
  async request(method: string, path: string, body?: unknown, headers: Record<string, string> = {}): Promise<Answer> {
    for (let attempts = 1; ; attempts += 1) {
      if (attempts > MAX_ATTEMPTS) throw new Error(`${method} ${path} got no answer in ${MAX_ATTEMPTS} attempts`);
      const retry: Record<string, string> = attempts > 1 ? { 'x-stainless-retry-count': String(attempts - 1) } : {};
      try {
        const sent = typeof body === 'function' ? body() : body;
        const reply = await this.target.send({ method, path, body: sent, headers: { ...headers, ...retry } });
        if (reply.status !== 503) return { ...reply, attempts };
        await pause(100);
      } catch (error) {
        if (!(error instanceof ProcessGone)) throw error;
        await this.target.recover();
      }
    }
  }

  get(path: string): Promise<Answer> {
    return this.request('GET', path);
  }

  post(path: string, body: unknown, headers?: Record<string, string>): Promise<Answer> {
    return this.request('POST', path, body, headers);
  }
}

/** @throws with the whole answer, unless it has one of these statuses */
export function expectStatus(answer: Answer, ...expected: readonly number[]): void {
  if (expected.includes(answer.status)) return;
  const body = JSON.stringify(answer.body);
  throw new Error(`status ${answer.status} instead of ${expected.join(' or ')} at attempt ${answer.attempts}: ${body}`);
}

export const documentPath = (idOrCustomId: string): string => `/v3/documents/${encodeURIComponent(idOrCustomId)}`;
/** @param tag picks one of several documents */
export const customIdPath = (customId: string, tag: string | null): string =>
  `${documentPath(customId)}${tag === null ? '' : `?containerTag=${encodeURIComponent(tag)}`}`;
export const MEMORIES_PATH = '/v4/memories';
export const tagPath = (tag: string): string => `/v3/container-tags/${encodeURIComponent(tag)}`;
