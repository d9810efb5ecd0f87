import { setTimeout as pause } from 'node:timers/promises';
import { type OpenSearchNode, startOpenSearchNode } from './engines/engines.ts';
import { eventually, Mneme } from './support/mneme.ts';

/** For a large document to be processed on a busy machine. Milliseconds. */
const PATIENCE_MS = 300_000;
const LIMIT_MB = 1.5;
/** OpenSearch takes long for text of many different words. */
const WORDS = 5_000;

let node: OpenSearchNode;
let mneme: Mneme;

beforeAll(async () => {
  node = await startOpenSearchNode([`http.max_content_length: ${LIMIT_MB * 1_024}kb`], () => {});
  mneme = await Mneme.start({ env: { MNEME_OPENSEARCH_URL: node.url, MNEME_PREFIX: 'largerows' } });
});
afterAll(async () => {
  await mneme?.stop();
  await node?.stop();
});

/** Lines of different words each, of which the index keeps more than OpenSearch takes in a row. */
function largeText(): string {
  const lines: string[] = [];
  for (let i = 0, length = 0; length < 1.4 * LIMIT_MB * 1e6; i += 1) {
    const line = Array.from({ length: 60 }, (_, word) => `w${((i * 61 + word * 7) % WORDS).toString(36)}`).join(' ');
    lines.push(line);
    length += line.length;
  }
  return lines.join('\n\n');
}

const found = async (q: string) => {
  const { body } = await mneme.post<{ results: { documentId: string }[] }>('/v3/search', { q });
  return body.results.map(({ documentId }) => documentId);
};

/** Waits until a document has failed, without reading its text each time. */
async function failed(id: string): Promise<Record<string, unknown>> {
  await eventually(async () => {
    const { body } = await mneme.get<{ events: { type: string }[] }>(`/v3/documents/${id}/events`);
    return body.events.some(({ type }) => type === 'ProcessingFailed') ? true : null;
  }, PATIENCE_MS);
  return (await mneme.get(`/v3/documents/${id}`)).body;
}

/** Failed documents in the list. */
async function listedAsFailed() {
  const { body } = await mneme.post<{ memories: { id: string; status: string }[] }>('/v3/documents/list', {
    status: ['failed'],
  });
  return body.memories;
}

test('a document whose row is too large for OpenSearch fails visibly, holds up no others, and is done when it was replaced', async () => {
  const form = new FormData();
  form.append('file', new Blob([largeText()], { type: 'text/plain' }), 'large.txt');
  const uploaded = await mneme.post<{ id: string }>('/v3/documents/file', form);
  expect(uploaded.status).toBe(200);
  const { id } = uploaded.body;
  const others: string[] = [];
  let isSettled = false;
  const large = failed(id).finally(() => {
    isSettled = true;
  });
  for (let i = 0; !isSettled || i < 3; i += 1) {
    others.push(await mneme.addAndWait(`Quokka number ${i} sleeps.`));
    // OpenSearch writes less while it shows what is new.
    await pause(500);
  }

  const failure = { code: 'views_rejected', message: expect.stringContaining('OpenSearch takes') };
  expect(await large).toMatchObject({ status: 'failed', processingError: failure });
  // Those of the document and its text are not found in parts.
  expect(await found('w0 w1 w2')).toEqual([]);
  expect((await found('quokka number 1'))[0]).toBe(others[1]);
  await eventually(async () => ((await listedAsFailed()).some((one) => one.id === id) ? true : null));

  expect((await mneme.request('PATCH', `/v3/documents/${id}`, { content: 'A wombat digs.' })).status).toBe(200);
  const replaced = await eventually(async () => {
    const { body } = await mneme.get(`/v3/documents/${id}`);
    return body.status === 'done' ? body : null;
  }, PATIENCE_MS);
  expect(replaced).toMatchObject({ status: 'done' });
  expect(await found('wombat')).toEqual([id]);
  expect(await listedAsFailed()).toEqual([]);
});
