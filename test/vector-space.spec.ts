import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { DatabaseSync } from 'node:sqlite';
import { bgeSmallEn, e5SmallV2, type ModelEntry, miniLmL6 } from '#models';
import { findTestModel } from '../libs/models/src/test-model.ts';
import { eventually, Mneme } from './support/mneme.ts';

/** Another model takes over under a running server, with `mneme rebuild --vector-space`, and none of this is noticed. */

const PROGRAM = resolve(import.meta.dirname, '../bin/mneme.js');

const found = [await findTestModel(), await findTestModel(bgeSmallEn), await findTestModel(miniLmL6)];
const missing = found.flatMap((one) => ('missing' in one ? [one.missing] : []));
const models = found.flatMap((one) => ('dataFolder' in one ? [`${one.dataFolder}/models`] : []))[0] ?? '';
const withModels = missing.length > 0 ? describe.skip : describe;
const suffix = missing.length > 0 ? ` (SKIPPED: ${missing.join('; ')})` : '';

/** Of what stands in the texts in other words only. */
const QUESTION = 'livestock escaped from the pasture';
const COWS = 'The cattle came through the broken fence on the eastern bank last night.';
const FILLERS = 60;
const filler = (i: number) => `On day ${i} the crew repaired ${i * 3} sails and cooked a stew of beans. `.repeat(4);

interface Found {
  readonly memory: string;
  readonly similarity: number;
  readonly explain: { readonly cosine: number | null };
}

withModels(`another model${suffix}`, () => {
  let folder: string;
  let mneme: Mneme;
  const env = { MNEME_EMBEDDING: 'local', MNEME_MODELS: models };

  const cliEnv = () => ({ PATH: process.env.PATH, MNEME_DATA: folder, ...env });
  function cli(...args: string[]): Promise<{ readonly code: number; readonly out: string; readonly err: string }> {
    return new Promise((done) => {
      execFile(process.execPath, [PROGRAM, ...args], { env: cliEnv() }, (error, out, err) =>
        done({ code: Number(error?.code ?? 0), out, err }),
      );
    });
  }
  const rebuild = (model: ModelEntry) => cli('rebuild', '--vector-space', model.name);

  async function start(): Promise<void> {
    mneme = await Mneme.start({ folder, env });
  }
  /** The server finds by the vectors of this model, and by no other. */
  async function serves(model: ModelEntry): Promise<void> {
    await eventually(async () => {
      const { body } = await mneme.get<{ search: { model: string | null } }>('/v3/health');
      return body.search.model === model.space.name ? true : null;
    });
  }
  async function ask(q = QUESTION): Promise<readonly Found[]> {
    const body = { q, containerTag: 'farm', threshold: 0, limit: 5, explain: true };
    const { status, body: answer } = await mneme.post<{ results: readonly Found[] }>('/v4/search', body);
    if (status !== 200) throw new Error(`the search was answered with ${status}: ${JSON.stringify(answer)}`);
    return answer.results;
  }
  const shown = (results: readonly Found[]) =>
    results.map(({ memory, similarity, explain }) => [memory, similarity.toFixed(6), explain.cosine?.toFixed(6)]);
  /** Once everything that was added has its vectors. */
  const answer = async () => shown(await ask());

  function vectorsOf(id?: string): number {
    const db = new DatabaseSync(join(folder, 'vectors.db'), { readOnly: true });
    const owned = 'SELECT count(*) AS n FROM users JOIN owners ON no = owner WHERE name LIKE ?';
    const { n } = db.prepare(owned).get(`%${id ?? ''}`) as { n: number };
    db.close();
    return n;
  }

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'mneme-space-'));
    await start();
    await serves(e5SmallV2);
    const ids = [await mneme.add(COWS, { containerTag: 'farm' })];
    for (let i = 0; i < FILLERS; i += 1) ids.push(await mneme.add(filler(i), { containerTag: 'farm' }));
    for (const id of ids) await mneme.settled(id);
  }, 180_000);
  afterEach(async () => {
    await mneme.stop();
    await rm(folder, { recursive: true });
  });

  test('takes over at once, and every question before and after is answered as if there were no other', async () => {
    const before = await answer();
    expect(before[0]?.[0]).toBe(COWS);
    const answers: ReturnType<typeof shown>[] = [];
    const added: string[] = [];
    let running = true;
    const asking = (async () => {
      while (running) answers.push(await answer());
    })();
    const adding = (async () => {
      for (let i = 0; running; i += 1) {
        added.push(await mneme.addAndWait(`Visitor ${i} brought a jar of honey.`, { containerTag: 'guests' }));
      }
    })();
    expect(await rebuild(bgeSmallEn)).toMatchObject({
      code: 0,
      out: `Every document is found in ${bgeSmallEn.space.name}.\n`,
    });
    running = false;
    await Promise.all([asking, adding]);

    const after = await answer();
    expect(after[0]?.[0]).toBe(COWS);
    expect(after).not.toEqual(before);
    const turn = answers.findIndex((one) => JSON.stringify(one) !== JSON.stringify(before));
    expect(turn).toBeGreaterThan(0);
    for (const one of answers.slice(turn)) expect(one).toEqual(after);
    await serves(bgeSmallEn);

    // What came meanwhile and what comes now is found by the vectors of the new model.
    await mneme.addAndWait('A guest left a pot of jam.', { containerTag: 'guests' });
    expect(added.length).toBeGreaterThan(0);
    const { body } = await mneme.post<{ results: readonly Found[] }>('/v4/search', {
      ...{ q: 'sweet presents', containerTag: 'guests', threshold: 0, limit: 100, explain: true },
    });
    expect(body.results).toHaveLength(Math.min(100, added.length + 1));
    for (const { explain } of body.results) expect(explain.cosine).not.toBeNull();

    // It stays so: over a restart, in views that are made anew, and in those that come from the log alone.
    expect(await cli('replay', '--verify')).toMatchObject({ code: 0, out: expect.stringContaining('No difference') });
    await mneme.stop();
    for (const part of ['', '-wal', '-shm']) await rm(join(folder, `views.db${part}`), { force: true });
    await start();
    await serves(bgeSmallEn);
    await eventually(async () => ((await ask()).length === 5 ? true : null));
    expect(await answer()).toEqual(after);
  });

  test('is left by a killed server as it was, is gone on with, and can be gone back from', async () => {
    const before = await answer();
    const running = spawn(process.execPath, [PROGRAM, 'rebuild', '--vector-space', miniLmL6.space.name, '--json'], {
      env: cliEnv(),
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    const ended = once(running, 'exit');
    for await (const line of createInterface({ input: running.stdout })) {
      if (JSON.parse(line).vectors > 0) break;
    }
    await mneme.kill();
    expect(await ended).toEqual([1, null]);
    const made = vectorsOf();

    await start();
    await serves(e5SmallV2);
    expect(await answer()).toEqual(before);
    expect(vectorsOf()).toBe(made);
    expect((await rebuild(miniLmL6)).code).toBe(0);
    await serves(miniLmL6);
    const after = await answer();
    expect(after[0]?.[0]).toBe(COWS);
    expect(after).not.toEqual(before);

    expect((await rebuild(e5SmallV2)).code).toBe(0);
    await serves(e5SmallV2);
    expect(await answer()).toEqual(before);
  });

  test('is forgotten with the document, and what is unknown is named', async () => {
    const id = await mneme.addAndWait('The falcon hatched on the cathedral.', { containerTag: 'farm' });
    const inOne = vectorsOf(id);
    expect((await rebuild(bgeSmallEn)).code).toBe(0);
    expect(vectorsOf(id)).toBe(2 * inOne);
    await mneme.request('DELETE', `/v3/documents/${id}`);
    expect(vectorsOf(id)).toBe(0);
    expect((await ask('The falcon hatched on the cathedral.')).map(({ memory }) => memory)).not.toContain(
      'The falcon hatched on the cathedral.',
    );
    const unknown = await cli('rebuild', '--vector-space', 'word2vec');
    expect(unknown).toMatchObject({
      code: 1,
      err: expect.stringMatching(/^There is no vector space word2vec; known are/),
    });
  });
});
