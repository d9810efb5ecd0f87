import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { findTestModel } from '../libs/models/src/test-model.ts';
import { eventually, Mneme } from './support/mneme.ts';

/** `MNEME_RERANK=on` with the real model: tokens are stored beside the vectors, and go with them. */

const TAG = 'kitchen';
const TEXTS = Array.from({ length: 60 }, (_, i) => `Shelf ${i} of the kitchen holds ${i + 3} blue cups and a kettle.`);
const SETUP_TIMEOUT_MS = 180_000;

interface Result {
  readonly memory: string;
  readonly explain: { readonly rerank: { readonly method: string; readonly score: number } | null };
}

const found = await findTestModel();
const describeWithModel = 'missing' in found ? describe.skip : describe;

describeWithModel('MNEME_RERANK', () => {
  let mneme: Mneme;
  let ids: string[];
  const switchTo = async (rerank: 'on' | 'off') => {
    mneme = await mneme.restart('SIGTERM', { MNEME_RERANK: rerank });
  };
  beforeAll(async () => {
    mneme = await Mneme.start({ env: { MNEME_EMBEDDING: 'local', MNEME_MODELS: `${found.dataFolder}/models` } });
    await eventually(async () => {
      const { body } = await mneme.get<{ model: { state: string } }>('/v3/health');
      return body.model.state === 'ready' ? true : null;
    });
    ids = [];
    for (const text of TEXTS) ids.push(await mneme.add(text, { containerTag: TAG }));
    for (const id of ids) expect(await mneme.settled(id)).toMatchObject({ status: 'done' });
  }, SETUP_TIMEOUT_MS);
  afterAll(() => mneme.stop());

  /** Stored tokens, without the byte that says what they are. A vector has another length. */
  const rows = (): readonly Buffer[] => {
    const db = new DatabaseSync(join(mneme.folder, 'vectors.db'), { readOnly: true });
    const found = db.prepare('SELECT vector FROM vectors WHERE length(vector) > 1 AND length(vector) % 64 = 1').all();
    db.close();
    return found.map(({ vector }) => Buffer.from(vector as Uint8Array).subarray(1));
  };
  const doctor = async () => {
    const { out } = await mneme.cli('doctor', '--json');
    return JSON.parse(out.split('\n').find((line) => line.includes('"reranking"')) ?? '{}').detail as string;
  };
  const doctorSays = (text: string) =>
    eventually(async () => ((await doctor()).includes(text) ? true : null), SETUP_TIMEOUT_MS);
  const ask = async () => {
    const question = { q: 'Where are the cups?', containerTag: TAG, limit: 100, threshold: 0 };
    const { body } = await mneme.post<{ results: readonly Result[] }>('/v4/search', {
      ...{ ...question, rerank: true, explain: true },
    });
    return body.results;
  };

  test('stores nothing by default', async () => {
    expect(rows()).toEqual([]);
    expect(await doctor()).toContain('which are not stored');
  });

  test(
    'adds the tokens of documents that are there, by which all passages are compared',
    async () => {
      await switchTo('on');
      await doctorSays('which are stored');
      expect(rows().length).toBeGreaterThanOrEqual(TEXTS.length);
      // On a busy machine the question may be out of time.
      const compared = await eventually(async () => {
        const results = await ask();
        return results.some(({ explain }) => explain.rerank !== null) ? results : null;
      });
      expect(compared.filter(({ explain }) => explain.rerank?.method === 'maxsim')).toHaveLength(TEXTS.length);
    },
    SETUP_TIMEOUT_MS,
  );

  test(
    'the tokens of a deleted document are in no file',
    async () => {
      const before = new Set(rows().map((row) => row.toString('hex')));
      expect((await mneme.request('DELETE', `/v3/documents/${ids[0]}`)).status).toBe(204);
      const gone = await eventually(async () => {
        const left = new Set(rows().map((row) => row.toString('hex')));
        const missing = [...before].filter((row) => !left.has(row));
        return missing.length > 0 ? missing : null;
      });
      await eventually(async () => ((await isInFiles(mneme.folder, gone)) ? null : true));
    },
    SETUP_TIMEOUT_MS,
  );

  test(
    'removes all of them when it is switched off',
    async () => {
      await switchTo('off');
      await doctorSays('which are not stored');
      expect(rows()).toEqual([]);
    },
    SETUP_TIMEOUT_MS,
  );
});

/** Whether a file of a folder holds one of these bytes, in hexadecimal. */
async function isInFiles(folder: string, wanted: readonly string[]): Promise<boolean> {
  const files = await readdir(folder, { recursive: true, withFileTypes: true });
  for (const file of files.filter((one) => one.isFile())) {
    const content = await readFile(join(file.parentPath, file.name)).catch(() => Buffer.alloc(0));
    if (wanted.some((bytes) => content.includes(Buffer.from(bytes, 'hex')))) return true;
  }
  return false;
}
