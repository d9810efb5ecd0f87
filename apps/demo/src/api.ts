import { readFile } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { type Example, pathOf } from './examples.ts';
import { DemoError } from './server.ts';

export type ModelState =
  | { readonly state: 'off' | 'idle' | 'loading' | 'ready' }
  | { readonly state: 'fetching'; readonly source: string; readonly receivedBytes: number; readonly totalBytes: number }
  | { readonly state: 'unavailable'; readonly reason: string };

export interface Health {
  readonly search: { readonly vectors: boolean; readonly model: string | null };
  readonly model: ModelState;
}

/** The fields of an envelope of `GET /v3/events` that the demo uses. */
export interface FeedEvent {
  readonly type: string;
  readonly documentId: string | null;
  readonly code?: string;
  readonly sizes?: Readonly<Record<string, number>>;
}

export interface Explanation {
  readonly cosine: number | null;
  readonly cosineWide: number | null;
  readonly coverage: number;
}

/** A result of either search: a memory, or a document with its chunks. */
export interface Hit {
  readonly title?: string | null;
  readonly similarity?: number;
  readonly score?: number;
  readonly memory?: string;
  readonly chunk?: string;
  readonly chunks?: readonly { readonly content: string; readonly explain?: Explanation | null }[];
  readonly explain?: Explanation | null;
}

export interface SearchResponse {
  readonly results: readonly Hit[];
  readonly timing: number;
  readonly profile?: { readonly dynamic: readonly string[] };
  readonly searchResults?: SearchResponse;
}

/** Client of the public HTTP API. */
export class Api {
  readonly #url: string;
  readonly #key: string;
  readonly #stop: AbortSignal;

  constructor(url: string, key: string, stop: AbortSignal) {
    this.#url = url;
    this.#key = key;
    this.#stop = stop;
  }

  /** @throws DemoError without a response */
  async request(method: string, path: string, body?: object): Promise<Response> {
    const form = body instanceof FormData;
    try {
      return await fetch(this.#url + path, {
        method,
        headers: {
          authorization: `Bearer ${this.#key}`,
          ...(body && !form && { 'content-type': 'application/json' }),
        },
        signal: this.#stop,
        ...(body && { body: form ? body : JSON.stringify(body) }),
      });
    } catch (error) {
      this.#stop.throwIfAborted();
      throw new DemoError(`${method} ${path} failed: ${(error as Error).message}`);
    }
  }

  async get<T>(path: string): Promise<T> {
    return bodyOf<T>(await this.request('GET', path), `GET ${path}`);
  }

  async post<T = SearchResponse>(path: string, body: object): Promise<T> {
    return bodyOf<T>(await this.request('POST', path, body), `POST ${path}`);
  }

  /** Adds text as JSON or a file as multipart, and returns the document id. */
  async add(example: Example): Promise<string> {
    const { way, name, customId, containerTag, metadata, documentDate } = example;
    const details = { customId, containerTag, ...(documentDate && { documentDate }) };
    const bytes = await readFile(pathOf(example));
    if (way === 'text') {
      const { id } = await this.post<{ id: string }>('/v3/documents', {
        content: bytes.toString('utf8'),
        ...details,
        metadata,
      });
      return id;
    }
    const form = new FormData();
    for (const [field, value] of Object.entries(details)) form.set(field, value);
    form.set('metadata', JSON.stringify(metadata));
    form.set('file', new Blob([new Uint8Array(bytes)]), name);
    return (await this.post<{ id: string }>('/v3/documents/file', form)).id;
  }

  /** Subscribes to new events of the feed. `open` resolves when the subscription is active. */
  follow(onEvent: (event: FeedEvent) => void): { readonly open: Promise<void>; close(): void } {
    const closing = new AbortController();
    const signal = AbortSignal.any([closing.signal, this.#stop]);
    const open = Promise.withResolvers<void>();
    const read = async () => {
      const headers = { authorization: `Bearer ${this.#key}` };
      const response = await fetch(`${this.#url}/v3/events`, { headers, signal });
      let text = '';
      for await (const chunk of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
        open.resolve();
        text += chunk;
        const frames = text.split('\n\n');
        text = frames.pop() ?? '';
        for (const frame of frames) {
          const data = /^data: (.*)$/m.exec(frame)?.[1];
          if (data !== undefined) onEvent(JSON.parse(data) as FeedEvent);
        }
      }
    };
    read().catch((error) => {
      if (!signal.aborted) open.reject(new DemoError(`GET /v3/events failed: ${(error as Error).message}`));
      else open.resolve();
    });
    return { open: open.promise, close: () => closing.abort() };
  }

  async pause(milliseconds: number): Promise<void> {
    await pause(milliseconds, undefined, { signal: this.#stop }).catch(() => this.#stop.throwIfAborted());
  }
}

async function bodyOf<T>(response: Response, request: string): Promise<T> {
  const body = (await response.json()) as T & { message?: string };
  if (response.ok) return body;
  throw new DemoError(`${request} returned ${response.status}: ${body.message}`);
}
