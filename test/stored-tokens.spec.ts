import { join } from 'node:path';
import { tokenKey } from '#features/vector-spaces/model';
import { connectNats } from '#platform/nats';
import { decodeTokens, openNatsVectorStore, openVectorReader } from '#ports/vector-store';
import { e5SmallV2 } from '../libs/ports/models/src/model-files.ts';
import { findTestModel } from '../libs/ports/models/src/test-model.ts';
import { engineSettings } from './support/combinations.ts';
import { runMneme } from './support/command.ts';
import { bytesHeld, untilBytesErased } from './support/erasure.ts';
import { eventually, Mneme } from './support/mneme.ts';

/** `MNEME_RERANK=on` with the real model: tokens are stored beside the vectors, and go with them. */

const TAG = 'kitchen';
const TEXTS = Array.from({ length: 48 }, (_, i) => `Shelf ${i} of the kitchen holds ${i + 3} blue cups and a kettle.`);

interface Result {
  readonly id: string;
  readonly memory: string;
  readonly explain: { readonly rerank: { readonly method: string; readonly score: number } | null };
}

const found = await findTestModel();
const describeWithModel = 'missing' in found ? describe.skip : describe;

describeWithModel('MNEME_RERANK', () => {
  let mneme: Mneme;
  let ids: string[];
  let env: Record<string, string> = { MNEME_EMBEDDING: 'local', MNEME_MODELS: `${found.dataFolder}/models` };
  const switchTo = async (rerank: 'on' | 'off') => {
    env = { ...env, MNEME_RERANK: rerank };
    mneme = await mneme.restart('SIGTERM', env);
  };
  beforeAll(async () => {
    mneme = await Mneme.start({ env });
    await eventually(async () => {
      const { body } = await mneme.get<{ model: { state: string } }>('/v3/health');
      return body.model.state === 'ready' ? true : null;
    });
    ids = [];
    for (const text of TEXTS) ids.push(await mneme.add(text, { containerTag: TAG }));
    for (const id of ids) expect(await mneme.settled(id)).toMatchObject({ status: 'done' });
  });
  afterAll(() => mneme.stop());

  /** The tokens of memories, as they are stored; null of those that have none. */
  const tokensOf = async (memories: readonly string[]): Promise<(Buffer | null)[]> => {
    const { body } = await mneme.get<{ org: { id: string } }>('/v3/session');
    const keys = memories.map((id) => tokenKey(e5SmallV2.space.name, body.org.id, id));
    return (await storedUnder(mneme, keys)).map((bytes) => {
      const record = bytes === null ? null : decodeTokens(bytes);
      return record?.kind === 'rows' ? Buffer.from(record.rows) : null;
    });
  };
  /** Empty: this check could not be made, as while an engine does not answer in time. */
  const doctor = async (): Promise<string> => {
    const settings = { ...env, ...(await engineSettings(mneme.folder)) };
    const { out } = await runMneme(['doctor', '--json'], { folder: mneme.folder, env: settings });
    return JSON.parse(out.split('\n').find((line) => line.includes('"reranking"')) ?? '{}').detail ?? '';
  };
  const doctorSays = (text: string) => eventually(async () => ((await doctor()).includes(text) ? true : null));
  const ask = async (rerank = true) => {
    const question = { q: 'Where are the cups?', containerTag: TAG, limit: 100, threshold: 0 };
    const { body } = await mneme.post<{ results: readonly Result[] }>('/v4/search', {
      ...{ ...question, rerank, explain: true },
    });
    return body.results;
  };
  const memories = async () => (await ask(false)).map(({ id }) => id);

  test('stores nothing by default', async () => {
    expect(await memories()).toHaveLength(TEXTS.length);
    expect((await tokensOf(await memories())).filter((tokens) => tokens !== null)).toEqual([]);
    expect(await doctor()).toContain('which are not stored');
  });

  test('adds the tokens of documents that are there, by which all passages are compared', async () => {
    await switchTo('on');
    await doctorSays('which are stored');
    expect((await tokensOf(await memories())).filter((tokens) => tokens === null)).toEqual([]);
    // On a busy machine the question may be out of time. Without stored tokens, 40 would be compared.
    const compared = await eventually(async () => {
      const results = await ask();
      return results.every(({ explain }) => explain.rerank !== null) ? results : null;
    });
    expect(compared.filter(({ explain }) => explain.rerank?.method === 'maxsim')).toHaveLength(TEXTS.length);
  });

  test('stores the tokens of what is added and changed, and erases those of what is deleted', async () => {
    const id = await mneme.addAndWait('The blue cups wait for the otter.', { containerTag: TAG });
    await mneme.request('PATCH', `/v3/documents/${id}`, { content: 'The blue cups wait for the heron.' });
    expect(await mneme.settled(id)).toMatchObject({ status: 'done' });
    const memory = await eventually(async () => (await ask(false)).find((one) => one.memory.includes('heron')) ?? null);
    const [tokens] = (await tokensOf([memory.id])) as [Buffer];
    expect(await bytesHeld(mneme, [tokens])).not.toEqual([]);
    const [first] = (await ask(false)).filter((one) => one.memory === TEXTS[0]);
    const [others] = (await tokensOf([first!.id])) as [Buffer];
    for (const one of [id, ids[0]]) {
      expect((await mneme.request('DELETE', `/v3/documents/${one}`)).status).toBe(204);
    }
    await untilBytesErased(mneme, [tokens, others]);
  });

  test('removes all of them when it is switched off', async () => {
    const tokens = (await tokensOf(await memories())).filter((one) => one !== null);
    expect(tokens).toHaveLength(TEXTS.length - 1);
    await switchTo('off');
    await doctorSays('which are not stored');
    expect((await tokensOf(await memories())).filter((one) => one !== null)).toEqual([]);
    await untilBytesErased(mneme, tokens);
  });
});

/** Reads the vectors of an installation, on whichever engine they are. */
async function storedUnder({ folder }: Mneme, keys: readonly string[]) {
  const { MNEME_NATS_URL: url, MNEME_PREFIX: prefix } = await engineSettings(folder);
  if (url === undefined) {
    const reader = openVectorReader(join(folder, 'vectors.db'));
    const stored = reader.get(keys);
    reader.close();
    return stored;
  }
  const connection = await connectNats({ url, name: 'test' });
  try {
    const vectors = await openNatsVectorStore({ connection, bucket: `${prefix}-vectors` });
    return await vectors.get(keys);
  } finally {
    await connection.close();
  }
}
