import { readdirSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually } from './support/mneme.ts';
import { processesWith, runCommand, Terminal } from './support/terminal.ts';

/** What `npm run demo` starts after the build. Without the model, which has tests of its own. */
const DEMO = `${process.execPath} --disable-warning=ExperimentalWarning bin/run.js apps/demo/src/main.js`;

/** Where the demo makes its data folder. */
let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mneme-demo-test-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const env = () => ({ TMPDIR: folder, MNEME_EMBEDDING: 'off' });

/** Neither a process nor a folder of the demo is left. */
async function untilGone(): Promise<void> {
  await eventually(async () => (processesWith(folder).length === 0 ? true : null), 10_000);
  expect(readdirSync(folder)).toEqual([]);
}

test('the demo shows each step, and removes what it made', async () => {
  const { code, out, err } = await runCommand(DEMO, { env: env() });
  expect({ code, err }).toEqual({ code: 0, err: '' });
  expect(out).toMatch(
    /handbook\.md .* done[\s\S]*Search by words only[\s\S]*history: version 1: "Mara lives in Oslo[\s\S]*restore[\s\S]*finds "Mara lives in Bergen[\s\S]*DELETE \/v3\/documents[\s\S]*was stopped/,
  );
  await untilGone();
});

test('the demo of an agent shows a conversation that remembers, apart from other people, and that forgets', async () => {
  const { code, out, err } = await runCommand(`${DEMO} --agent`, { env: env() });
  expect({ code, err }).toEqual({ code: 0, err: '' });
  expect(out).toMatch(
    /Mara: What[\s\S]*model: She is called Heron[\s\S]*<mneme-memories>[\s\S]*Heron[\s\S]*Tom: What.*\n\s*model: I do not know[\s\S]*DELETE[\s\S]*Mara: What.*\n\s*model: I do not know[\s\S]*was stopped/,
  );
  await untilGone();
});

test('the demo removes what it made if its output is closed', async () => {
  await runCommand(`${DEMO} | head -1`, { env: env() });
  await untilGone();
});

test.each([/Starting a server/, /The server keeps running/])(
  'Ctrl-C after %p ends the demo and its server',
  async (line) => {
    const terminal = new Terminal(`${DEMO} --keep`, { env: env() });
    await terminal.shows(line);
    terminal.press('Ctrl-C');
    // npm passes the signal on, so that it arrives a second time.
    terminal.press('Ctrl-C');
    await terminal.ended();
    await untilGone();
  },
);
