import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { DatabaseSync } from 'node:sqlite';
import { bgeSmallEn, e5SmallV2, type ModelEntry, miniLmL6 } from '#models';
import { eventually, Mneme } from './support/mneme.ts';
import { addFarm, allModels, ask, COWS, expectOneTurn, keepAsking, serves } from './support/vector-space.ts';

/** Another model takes over under a running server, with `mneme rebuild --vector-space`, and nobody notices. */

const PROGRAM = resolve(import.meta.dirname, '../bin/mneme.js');

const { env, missing } = await allModels();
const withModels = missing === null ? describe : describe.skip;

withModels(`another model${missing === null ? '' : ` (SKIPPED: ${missing})`}`, () => {
  let folder: string;
  let mneme: Mneme;

  const cliEnv = () => ({ PATH: process.env.PATH, MNEME_DATA: folder, ...env });
  function cli(...args: string[]): Promise<{ readonly code: number; readonly out: string; readonly err: string }> {
    return new Promise((done) => {
      execFile(process.execPath, [PROGRAM, ...args], { env: cliEnv() }, (error, out, err) =>
        done({ code: Number(error?.code ?? 0), out, err }),
      );
    });
  }
  const rebuild = (model: ModelEntry) => cli('rebuild', '--vector-space', model.name);
  const done = (model: ModelEntry) => ({ code: 0, out: `Every document is found in ${model.space.name}.\n` });

  async function start(): Promise<void> {
    mneme = await Mneme.start({ folder, env });
  }
  const answer = () => ask(mneme, 'farm');

  /** Vectors in the cache, of one document or of all. */
  function vectorsOf(id = ''): number {
    const db = new DatabaseSync(join(folder, 'vectors.db'), { readOnly: true });
    const owned = 'SELECT count(*) AS n FROM users JOIN owners ON no = owner WHERE name LIKE ?';
    const { n } = db.prepare(owned).get(`%${id}`) as { n: number };
    db.close();
    return n;
  }

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'mneme-space-'));
    await start();
    await serves(mneme, e5SmallV2);
    await addFarm(mneme, 60);
  }, 180_000);
  afterEach(async () => {
    await mneme.stop();
    await rm(folder, { recursive: true });
  });

  test('takes over at once, and every question before and after is answered as if there were no other', async () => {
    const before = await answer();
    expect(before[0]?.memory).toBe(COWS);
    const asking = keepAsking(mneme);
    const added: string[] = [];
    let running = true;
    const adding = (async () => {
      while (running) {
        const text = `Visitor ${added.length} brought a jar of honey.`;
        added.push(await mneme.addAndWait(text, { containerTag: 'guests' }));
      }
    })();
    expect(await rebuild(bgeSmallEn)).toMatchObject(done(bgeSmallEn));
    running = false;
    await adding;
    const after = await answer();
    expect(after[0]?.memory).toBe(COWS);
    expectOneTurn(await asking.stop(), before, after);
    await serves(mneme, bgeSmallEn);

    // What came meanwhile and what comes now is found by the vectors of the new model.
    await mneme.addAndWait('A guest left a pot of jam.', { containerTag: 'guests' });
    expect(added.length).toBeGreaterThan(0);
    const guests = await ask(mneme, 'guests', 'sweet presents', 100);
    expect(guests).toHaveLength(Math.min(100, added.length + 1));
    expect(guests.filter(({ cosine }) => cosine === null)).toEqual([]);

    // It stays so: in views that are made anew beside, and in those that come from the log alone.
    expect(await cli('replay', '--verify')).toMatchObject({ code: 0, out: expect.stringContaining('No difference') });
    await mneme.stop();
    for (const part of ['', '-wal', '-shm']) await rm(join(folder, `views.db${part}`), { force: true });
    await start();
    await serves(mneme, bgeSmallEn);
    await mneme.post('/v3/documents/list', {});
    await eventually(async () => ((await answer()).length === 5 ? true : null));
    expect(await answer()).toEqual(after);
  });

  test('leaves a killed server as it was, is gone on with, and can be gone back from', async () => {
    const before = await answer();
    const running = spawn(process.execPath, [PROGRAM, 'rebuild', '--vector-space', miniLmL6.space.name, '--json'], {
      env: cliEnv(),
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    const ended = once(running, 'exit');
    for await (const line of createInterface({ input: running.stdout })) if (JSON.parse(line).vectors > 0) break;
    await mneme.kill();
    expect(await ended).toEqual([1, null]);
    const made = vectorsOf();

    await start();
    await serves(mneme, e5SmallV2);
    expect(await answer()).toEqual(before);
    expect(vectorsOf()).toBe(made);
    expect(await rebuild(miniLmL6)).toMatchObject(done(miniLmL6));
    await serves(mneme, miniLmL6);
    const after = await answer();
    expect(after[0]?.memory).toBe(COWS);
    expect(after).not.toEqual(before);

    expect(await rebuild(e5SmallV2)).toMatchObject(done(e5SmallV2));
    await serves(mneme, e5SmallV2);
    expect(await answer()).toEqual(before);
  });

  test('is forgotten with the document, and what is unknown is named', async () => {
    const text = 'The falcon hatched on the cathedral.';
    const id = await mneme.addAndWait(text, { containerTag: 'farm' });
    const inOne = vectorsOf(id);
    expect(await rebuild(bgeSmallEn)).toMatchObject(done(bgeSmallEn));
    expect(vectorsOf(id)).toBe(2 * inOne);
    await mneme.request('DELETE', `/v3/documents/${id}`);
    expect(vectorsOf(id)).toBe(0);
    expect((await ask(mneme, 'farm', text)).map(({ memory }) => memory)).not.toContain(text);
    expect(await cli('rebuild', '--vector-space', 'word2vec')).toMatchObject({
      code: 1,
      err: expect.stringMatching(/^There is no vector space word2vec; known are/),
    });
  });
});
