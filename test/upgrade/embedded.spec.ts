import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { allModels } from '../support/vector-space.ts';
import { type Answered, expectSameAnswers, readAnswers } from './answers.ts';
import { EMBEDDED_ANSWERS, type EmbeddedState, openEmbeddedState } from './embedded-state.ts';
import { IDEMPOTENT } from './settled.ts';
import { openByVectors, openByWords, viewsServe } from './story.ts';

/** A data folder that an older version was killed on: see README.md. */

const answers = readAnswers(EMBEDDED_ANSWERS);
const ask = (mneme: Parameters<typeof expectSameAnswers>[0], moment: string) =>
  expectSameAnswers(mneme, answers, moment);
const { env: models, missing } = await allModels();
const withModels = missing === null ? test : test.skip;
const TIMEOUT_MS = 420_000;
const BY_WORDS = { MNEME_EMBEDDING: 'off' };

let state: EmbeddedState | undefined;
afterEach(() => state?.remove());

test(
  'opens without a model: lists, unit ids and searches are the same, and unfinished work ends',
  async () => {
    state = await openEmbeddedState(BY_WORDS);
    await openByWords({ ...state, ask });
  },
  TIMEOUT_MS,
);

withModels(
  `opens with its model, and the unfinished change to another one is finished${missing === null ? '' : ` (SKIPPED: ${missing})`}`,
  async () => {
    state = await openEmbeddedState(models);
    await openByVectors({ ...state, ask });
  },
  TIMEOUT_MS,
);

test('knows its keys, idempotency keys and customIds', async () => {
  const made = answers.find(({ answer }) => (answer as { content?: string }).content === IDEMPOTENT.body.content);
  const { id, createdAt } = (made as Answered).answer as { id: string; createdAt: string };
  const time = { STATE_TIME: String(Date.parse(createdAt) + 3_600_000) };
  const clock = { NODE_OPTIONS: `--import=${join(import.meta.dirname, 'state-clock.ts')}`, ...time };
  state = await openEmbeddedState({ ...BY_WORDS, ...clock });
  const mneme = await state.start();
  await viewsServe(mneme);

  const first = (await readFile(join(state.folder, 'owner.key'), 'utf8')).trim();
  const session = await mneme.get('/v3/session', { authorization: `Bearer ${first}` });
  expect(session.status).toBe(200);

  const send = (content: string) =>
    mneme.post('/v3/documents', { ...IDEMPOTENT.body, content }, { 'idempotency-key': IDEMPOTENT.key });
  expect(await send(IDEMPOTENT.body.content)).toMatchObject({ status: 200, body: { id } });
  expect(await send('Another request.')).toMatchObject({ status: 409, body: { code: 'conflict' } });

  const { body: named } = await mneme.get<{ id: string }>('/v3/documents/tags');
  const again = await mneme.post('/v3/documents', { content: 'And a line behind it.', customId: 'tags' });
  expect(again.body.id).toBe(named.id);
  expect((await mneme.settled(named.id)).content).toBe('Nothing of this text changes.\nAnd a line behind it.');
  expect((await mneme.request('DELETE', '/v3/documents/reborn')).status).toBe(204);
  const reborn = await mneme.addAndWait('The third one under this name.', { customId: 'reborn' });
  expect((await mneme.get('/v3/documents/reborn')).body.id).toBe(reborn);
});
