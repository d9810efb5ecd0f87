import { setTimeout as pause } from 'node:timers/promises';
import { inParallel } from './load.ts';
import { type Answer, eventually, type Mneme } from './mneme.ts';

/** Between two adds of one client under load: every document is checked at the end. Milliseconds. */
const BETWEEN_MS = 100;

/** A client that records the responses to its adds. */
export class Adds {
  /** A word of each document by its id. */
  readonly acknowledged = new Map<string, string>();
  readonly refused: Answer[] = [];
  readonly #mneme: Mneme;
  readonly #name: string;
  #count = 0;

  /** @param name begins the words of its documents. Another one for each client of an installation */
  constructor(mneme: Mneme, name = 'Numbat') {
    this.#mneme = mneme;
    this.#name = name;
  }

  /** Adds a document, every second one with a customId. */
  async add(text = ''): Promise<void> {
    const i = this.#count;
    this.#count += 1;
    const word = `${this.#name}${i}x`;
    const content = `${word} was here. ${text}`;
    const fields = { content, containerTag: 'faults', ...(i % 2 === 0 && { customId: `custom ${word}` }) };
    const answer = await this.#mneme.post('/v3/documents', fields);
    if (answer.status === 200) this.acknowledged.set(answer.body.id as string, word);
    else this.refused.push(answer);
  }

  several(count: number, width: number, text: (i: number) => string = () => ''): Promise<void> {
    const items = Array.from({ length: count }, (_, i) => i);
    return inParallel(items, width, (i) => this.add(text(i)));
  }

  /** Adds from several clients while `isWanted` returns true. */
  async while(isWanted: () => boolean, width = 4, text: (i: number) => string = () => ''): Promise<void> {
    const client = async () => {
      for (; isWanted(); await pause(BETWEEN_MS)) await this.add(text(this.#count));
    };
    await Promise.all(Array.from({ length: width }, client));
  }
}

/** Checks the contract's response (§1.4) to a temporary failure. */
export function expectUnavailable({ status, body, headers }: Answer): void {
  expect({ status, body }).toMatchObject({
    status: 503,
    body: {
      code: 'unavailable',
      error: expect.any(String),
      message: expect.any(String),
      requestId: expect.any(String),
    },
  });
  expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
}

/** Returns the event types of a document. */
export async function eventsOf(mneme: Mneme, id: string): Promise<readonly string[]> {
  const { status, body } = await mneme.get<{ events: { type: string }[] }>(`/v3/documents/${id}/events`);
  expect(status).toBe(200);
  return body.events.map(({ type }) => type);
}

export const endsOf = async (mneme: Mneme, id: string) =>
  (await eventsOf(mneme, id)).filter((type) => ['DocumentIndexed', 'ProcessingFailed'].includes(type));

/** Returns the last status of a document. Its texts may be out of reach until the engines have recovered. */
export const settledWithin = (mneme: Mneme, id: string, ms: number) =>
  eventually(async () => {
    const answer = await mneme.get(`/v3/documents/${id}`);
    if (answer.status === 503) {
      expectUnavailable(answer);
      return null;
    }
    expect(answer.status).toBe(200);
    const status = answer.body.status as string;
    return ['done', 'failed'].includes(status) ? status : null;
  }, ms);

const healthy = (mneme: Mneme, ms: number) =>
  eventually(async () => ((await mneme.get('/v3/health')).body.status === 'ok' ? true : null), ms);

/**
 * Checks that the service recovers, and that every acknowledged document becomes done once, is listed and found, and has no
 * duplicate.
 */
export async function expectAllDoneOnce(mneme: Mneme, { acknowledged }: Adds, ms = 100_000): Promise<void> {
  const end = Date.now() + ms;
  // A stream can be without a leader for some seconds while adds that do not need it succeed.
  await healthy(mneme, ms);
  await inParallel([...acknowledged.keys()], 8, async (id) => {
    expect(await settledWithin(mneme, id, end - Date.now())).toBe('done');
    expect(await endsOf(mneme, id)).toEqual(['DocumentIndexed']);
  });
  await eventually(async () => ((await mneme.get('/v3/documents/processing')).body.totalCount === 0 ? true : null));
  const listed = await listAll(mneme);
  expect(new Set(listed.map(({ content }) => content)).size).toBe(listed.length);
  const ids = new Set(listed.map(({ id }) => id));
  expect([...acknowledged.keys()].filter((id) => !ids.has(id))).toEqual([]);
  expect(listed.filter(({ status }) => status !== 'done')).toEqual([]);
  const some = [...acknowledged.entries()].filter((_, i, all) => i % Math.ceil(all.length / 20) === 0);
  for (const [id, word] of some) {
    const { body } = await mneme.post<{ results: { documentId: string }[] }>('/v3/search', { q: word });
    expect(body.results.map(({ documentId }) => documentId)).toEqual([id]);
  }
}

interface ListItem {
  readonly id: string;
  readonly content: string;
  readonly status: string;
}

async function listAll(mneme: Mneme): Promise<ListItem[]> {
  const listed: ListItem[] = [];
  for (let page = 1; ; page += 1) {
    const { status, body } = await mneme.post('/v3/documents/list', { page, limit: 1_000, includeContent: true });
    expect(status).toBe(200);
    listed.push(...(body.memories as ListItem[]));
    if (page >= (body.pagination as { totalPages: number }).totalPages) return listed;
  }
}
