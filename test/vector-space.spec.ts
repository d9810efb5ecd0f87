import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { DatabaseSync } from 'node:sqlite';
import { bgeSmallEn, e5SmallV2, type ModelEntry, miniLmL6 } from '#ports/models';
import { eventually, Mneme } from './support/mneme.ts';
import { addFarm, allModels, ask, COWS, expectSingleSwitch, keepAsking, serves } from './support/vector-space.ts';

/** A change of the model by `mneme rebuild --vector-space` on a running server, without an interruption. */

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
  const done = (model: ModelEntry) => ({ code: 0, out: `${model.space.name} serves; every document has vectors.\n` });

  async function start(): Promise<void> {
    mneme = await Mneme.start({ folder, env });
  }
  const answer = () => ask(mneme, 'farm');

  /** Returns the number of cached vectors of one document or of all. */
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
  });
  afterEach(async () => {
    await mneme.stop();
    await rm(folder, { recursive: true });
  });

  test('serves all documents at the same time, and every search uses exactly one space', async () => {
    await addFarm(mneme, 40);
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
    expectSingleSwitch(await asking.stop(), before, after);
    await serves(mneme, bgeSmallEn);

    // Documents added during and after the change are found by vectors of the new model.
    await mneme.addAndWait('A guest left a pot of jam.', { containerTag: 'guests' });
    expect(added.length).toBeGreaterThan(0);
    const guests = await ask(mneme, 'guests', 'sweet presents', 100);
    expect(guests).toHaveLength(Math.min(100, added.length + 1));
    expect(guests.filter(({ cosine }) => cosine === null)).toEqual([]);

    // Rebuilt views, and views rebuilt from the log only, have the new space too.
    expect(await cli('replay', '--verify')).toMatchObject({ code: 0, out: expect.stringContaining('No difference') });
    await mneme.stop();
    for (const part of ['', '-wal', '-shm']) await rm(join(folder, `views.db${part}`), { force: true });
    await start();
    await serves(mneme, bgeSmallEn);
    await mneme.post('/v3/documents/list', {});
    await eventually(async () => ((await answer()).length === 5 ? true : null));
    expect(await answer()).toEqual(after);
  });

  /** Starts the change, calls `end` in the given phase, and returns the printed lines. */
  async function rebuildUntil(phase: string, end: (command: ChildProcess) => unknown): Promise<readonly Line[]> {
    const command = spawn(process.execPath, [PROGRAM, 'rebuild', '--vector-space', miniLmL6.space.name, '--json'], {
      env: cliEnv(),
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    const ended = once(command, 'exit');
    const lines: Line[] = [];
    for await (const line of createInterface({ input: command.stdout })) {
      lines.push(JSON.parse(line) as Line);
      if (lines.at(-1)?.phase !== phase || (lines.at(-1)?.vectors ?? 1) === 0) continue;
      await end(command);
    }
    expect(await ended).toEqual([1, null]);
    return lines;
  }
  interface Line {
    readonly phase: string;
    readonly vectors?: number;
    readonly done?: boolean;
  }

  test('can be aborted, continued after a crash of the server, and reverted', async () => {
    await addFarm(mneme, 40);
    const before = await answer();
    const inOne = vectorsOf();
    const lines = await rebuildUntil('embed', (command) => command.kill('SIGINT'));
    expect(lines.every(({ done: all }) => all !== true)).toBe(true);
    expect(await answer()).toEqual(before);
    await rebuildUntil('embed', () => mneme.kill());
    await start();
    await serves(mneme, e5SmallV2);
    expect(await answer()).toEqual(before);
    expect(vectorsOf()).toBeGreaterThan(inOne);
    await rebuildUntil('rebuild', () => mneme.kill());
    const inBoth = vectorsOf();
    expect(inBoth).toBeGreaterThan(inOne);

    await start();
    await serves(mneme, e5SmallV2);
    expect(await answer()).toEqual(before);
    expect(await rebuild(miniLmL6)).toMatchObject(done(miniLmL6));
    await serves(mneme, miniLmL6);
    const after = await answer();
    expect(after[0]?.memory).toBe(COWS);
    expect(after).not.toEqual(before);

    expect(await rebuild(e5SmallV2)).toMatchObject(done(e5SmallV2));
    await serves(mneme, e5SmallV2);
    expect(await answer()).toEqual(before);
  });

  test('is refused if the model is unavailable', async () => {
    await addFarm(mneme, 1);
    const only = join(folder, 'given');
    await cp(join(env.MNEME_MODELS as string, e5SmallV2.name), join(only, e5SmallV2.name), { recursive: true });
    await mneme.stop();
    // No download command on the path, and nothing listens on the proxy's port.
    const cutOff = { PATH: '/nowhere', NODE_USE_ENV_PROXY: '1', HTTPS_PROXY: 'http://127.0.0.1:9' };
    mneme = await Mneme.start({ folder, env: { ...env, ...cutOff, MNEME_MODELS: only } });
    await serves(mneme, e5SmallV2);
    expect(await rebuild(bgeSmallEn)).toMatchObject({
      code: 1,
      err: expect.stringContaining(`The model of ${bgeSmallEn.space.name} cannot be had: No source has the model`),
    });
    const events = await cli('events', 'export', '--types', 'VectorSpaceBegun,VectorSpaceAbandoned');
    expect(events.out.match(/VectorSpace\w+/g)).toEqual(['VectorSpaceBegun', 'VectorSpaceAbandoned']);
    await serves(mneme, e5SmallV2);
  });

  test('removes the vectors of a deleted document, and an unknown space is named in the error', async () => {
    await addFarm(mneme, 1);
    const text = 'The falcon hatched on the cathedral.';
    const id = await mneme.addAndWait(text, { containerTag: 'farm' });
    const inOne = vectorsOf(id);
    expect(await rebuild(bgeSmallEn)).toMatchObject(done(bgeSmallEn));
    expect(vectorsOf(id)).toBe(2 * inOne);
    expect((await cli('rebuild', '--vector-space', bgeSmallEn.name, '--release-others')).code).toBe(0);
    expect(vectorsOf(id)).toBe(inOne);
    expect((await ask(mneme, 'farm', text))[0]?.memory).toBe(text);
    // The same without a server.
    await mneme.stop();
    expect(await rebuild(miniLmL6)).toMatchObject(done(miniLmL6));
    await start();
    await serves(mneme, miniLmL6);
    expect(vectorsOf(id)).toBe(2 * inOne);
    expect((await ask(mneme, 'farm', text))[0]?.memory).toBe(text);
    await mneme.request('DELETE', `/v3/documents/${id}`);
    expect(vectorsOf(id)).toBe(0);
    expect((await ask(mneme, 'farm', text)).map(({ memory }) => memory)).not.toContain(text);
    expect(await cli('rebuild', '--vector-space', 'word2vec')).toMatchObject({
      code: 1,
      err: expect.stringMatching(/^There is no vector space word2vec; known are/),
    });
  });
});
