import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { Mneme } from '../../support/mneme.ts';
import { expectStatus } from './bench.ts';

/** Returns the number of done documents in the views, which may lag. */
export async function countDone(mneme: Mneme): Promise<number> {
  const { status, body } = await mneme.post<{ pagination: { totalItems: number } }>('/v3/documents/list', {
    status: 'done',
    limit: 1,
  });
  expectStatus(status, 200, 'a list');
  return body.pagination.totalItems;
}

async function countUnfinished(mneme: Mneme): Promise<number> {
  const { status, body } = await mneme.get<{ totalCount: number }>('/v3/documents/processing');
  expectStatus(status, 200, 'the list of what is being processed');
  return body.totalCount;
}

/** Time in which a server that is busy accepts a request. Milliseconds. */
const ACCEPT_MS = 120_000;

/** Sends an add. As a client does, repeats it while the server answers 503, for as long as the answer says. */
export async function accepted<T>(mneme: Mneme, path: string, body: object): Promise<T> {
  const key = { 'idempotency-key': randomUUID() };
  for (const end = performance.now() + ACCEPT_MS; ; ) {
    const { status, headers, body: answer } = await mneme.post<T>(path, body, key);
    if (status !== 503 || performance.now() > end) {
      expectStatus(status, 200, `POST ${path}`);
      return answer;
    }
    await pause(1_000 * Number(headers.get('retry-after') ?? 1));
  }
}

interface File {
  readonly content: Blob;
  readonly name: string;
  readonly containerTag: string;
}

/** Uploads a file and returns the id of its document. */
export async function upload(mneme: Mneme, { content, name, containerTag }: File): Promise<string> {
  const form = new FormData();
  form.append('containerTag', containerTag);
  form.append('file', content, name);
  const { status, body } = await mneme.request<{ id: string }>('POST', '/v3/documents/file', form);
  expectStatus(status, 200, 'an upload');
  return body.id;
}

/** Waits until this many documents are done and none is unfinished. */
export async function drained(
  mneme: Mneme,
  atLeast: number,
  { everyMs = 100, timeoutMs = 600_000 } = {},
): Promise<void> {
  const end = performance.now() + timeoutMs;
  while ((await countDone(mneme)) < atLeast || (await countUnfinished(mneme)) > 0) {
    if (performance.now() > end) throw new Error(`The backlog was not drained within ${timeoutMs} ms`);
    await pause(everyMs);
  }
}

/** Waits for the model of a server with embedding. */
export async function modelReady(mneme: Mneme, timeoutMs = 60_000): Promise<void> {
  const end = performance.now() + timeoutMs;
  for (;;) {
    const { body } = await mneme.get<{ model: { state: string; reason?: string } }>('/v3/health');
    if (body.model.state === 'ready') return;
    if (body.model.state === 'unavailable') throw new Error(`The model is unavailable: ${body.model.reason}`);
    if (performance.now() > end) throw new Error(`The model was not ready within ${timeoutMs} ms`);
    await pause(50);
  }
}
