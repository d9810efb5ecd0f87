import { mkdtempSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findTestModel, type TestModel } from '../libs/ports/models/src/test-model.ts';
import { eventually, Mneme, OWNER_KEY, whileItLasts } from './support/mneme.ts';
import { commandOf, processesWith, runCommand, Terminal } from './support/terminal.ts';

/** Ctrl-C on a terminal: what runs is abandoned, and the log brings it back. */

let folder: string;
let terminal: Terminal | null = null;
let model: TestModel;
beforeAll(async () => {
  model = await findTestModel();
});
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'mneme-stop-'));
});
afterEach(async () => {
  await terminal?.close();
  terminal = null;
  rmSync(folder, { recursive: true, force: true });
});

const settings = () => ({
  MNEME_DATA: folder,
  MNEME_PORT: '0',
  MNEME_API_KEY: OWNER_KEY,
  ...(model.missing === undefined
    ? { MNEME_MODELS: join(model.dataFolder as string, 'models') }
    : { MNEME_EMBEDDING: 'off' }),
});

async function start(command: string): Promise<string> {
  terminal = new Terminal(command, { env: settings() });
  return (await terminal.shows(/listens on (http:\S+)/))[1] as string;
}

async function request<T>(url: string, path: string, body?: object): Promise<T> {
  const response = await fetch(url + path, {
    method: body === undefined ? 'GET' : 'POST',
    headers: { authorization: `Bearer ${OWNER_KEY}`, 'content-type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  });
  return (await response.json()) as T;
}

/** A text without repetitions, whose processing takes many seconds. */
const longText = (seed: number, sentences: number): string =>
  Array.from({ length: sentences }, (_, i) => `Bed ${seed}-${i} of the garden has ${i % 89} seeds.`).join(' ');

test('Ctrl-C stops while long documents are processed, no child survives, and the next start goes on', async () => {
  const url = await start(`npm start --ignore-scripts`);
  const shown = terminal as Terminal;
  if (model.missing === undefined) await shown.shows(/Model \S+ is ready/);
  // Lines for people: a time, a level by its name, no JSON.
  expect(shown.output).not.toMatch(/"level":|Unknown project config/);
  const ids: string[] = [];
  for (let seed = 0; seed < 3; seed += 1) {
    const { id } = await request<{ id: string }>(url, '/v3/documents', { content: longText(seed, 4_000) });
    ids.push(id);
  }
  const stages = async () =>
    Promise.all(
      ids.map(async (id) => (await request<{ processingStage: string }>(url, `/v3/documents/${id}`)).processingStage),
    );
  const long = model.missing === undefined ? 'embedding' : 'extracting';
  await whileItLasts(async () => ((await stages()).includes(long) ? true : null));
  expect(processesWith(folder).length).toBeGreaterThan(2);

  shown.press('Ctrl-C');
  await shown.ended();
  expect(shown.output).toMatch(/Stopping\. Unfinished documents continue at the next start\./);
  // It did not need the limit after which the rest is given up.
  expect(shown.output).not.toContain('Not everything has ended');
  await eventually(async () => (processesWith(folder).length === 0 ? true : null), 5_000);

  const again = await Mneme.start({ folder, env: settings() });
  try {
    const events = `${process.execPath} bin/mneme.js events export --types StageAbandoned`;
    const { out } = await runCommand(events, { env: { MNEME_DATA: folder } });
    expect(out).toContain('"StageAbandoned"');
    for (const id of ids) expect(await again.settled(id)).toMatchObject({ status: 'done' });
  } finally {
    await again.stop();
  }
});

test('a second Ctrl-C ends the server at once, whatever it waits for', async () => {
  const url = new URL(await start(commandOf('start')));
  const shown = terminal as Terminal;
  // A request that is not complete is waited for.
  const open = connect(Number(url.port), url.hostname);
  open.on('error', () => {});
  open.write('POST /v3/documents HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 9\r\n\r\n{');
  await new Promise((resolve) => open.once('connect', resolve));
  shown.press('Ctrl-C');
  await shown.shows(/Press Ctrl-C again/);
  await eventually(async () => {
    shown.press('Ctrl-C');
    return shown.running ? null : true;
  });
  // 128 + SIGINT: not the exit of a stop in order.
  expect(await shown.ended()).toBe(130);
  open.destroy();
});
