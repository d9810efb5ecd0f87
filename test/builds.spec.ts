import { readdirSync } from 'node:fs';
import { mkdir, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Checkout } from './support/checkout.ts';

/** Builds of a small project. No process is disturbed by a build that another one makes or removes. */

const MAIN = 'apps/server/src/main.ts';
const WORDS = 'libs/words/src/index.ts';
const RUN = ['bin/run.js', MAIN.replace('.ts', '.js')] as const;

let project: Checkout;
beforeEach(async () => {
  project = await Checkout.withTools();
  await write(MAIN, "import { WORD } from '#words';\nconsole.log(WORD);\n");
  await write(WORDS, "export const WORD: string = 'first';\n");
});
afterEach(() => project.remove());

async function write(path: string, text: string): Promise<void> {
  await mkdir(dirname(join(project.root, path)), { recursive: true });
  await writeFile(join(project.root, path), text);
}

const say = (word: string) => write(WORDS, `export const WORD: string = '${word}';\n`);
const run = () => project.run(process.execPath, ...RUN);
const entries = () => readdirSync(join(project.root, 'dist')).sort();
/** All entries of `dist` when there is one build. */
const onlyBuild = (name: string) => [name, `${name}.lock`, 'current'].sort();

test('a program runs from the newest build, and without one it says what to do', async () => {
  expect(await run()).toMatchObject({ code: 1, err: expect.stringMatching(/not built.*npm run build/) });
  await project.build();
  expect(await run()).toEqual({ code: 0, out: 'first\n', err: '' });
  await say('second');
  await project.build();
  expect(await run()).toEqual({ code: 0, out: 'second\n', err: '' });
});

test('a program and its threads are started from their bundles, and find what lies beside their sources', async () => {
  await write('libs/words/src/word.wasm', 'wasm');
  await write('libs/words/src/say.worker.ts', "import { WORD } from './index.ts';\nconsole.log('thread:', WORD);\n");
  await write(
    WORDS,
    `import { readFileSync } from 'node:fs';
import { Worker } from 'node:worker_threads';
export const WORD: string = readFileSync(new URL('./word.wasm', import.meta.url), 'utf8');
export const thread = () => new Worker(new URL('./say.worker.js', import.meta.url));
export const fail = (): void => { throw new Error('failed'); };\n`,
  );
  await write(MAIN, "import { fail, thread, WORD } from '#words';\nconsole.log(WORD);\nthread().on('exit', fail);\n");
  const name = await project.build();
  const { out, err } = await run();
  expect(out).toBe('wasm\nthread: wasm\n');
  // The stack trace names the line of the source.
  expect(err).toMatch(/libs\/words\/src\/index\.ts:5/);
  // The modules by themselves are not needed.
  await rm(join(project.root, 'dist', name, 'apps'), { recursive: true });
  expect(await run()).toMatchObject({ out: 'wasm\nthread: wasm\n' });
});

test('sources that did not change are not built again', async () => {
  const name = await project.build();
  const made = await stat(join(project.root, 'dist', name, 'manifest.json'));
  expect(await project.build()).toBe(name);
  expect((await stat(join(project.root, 'dist', name, 'manifest.json'))).mtimeMs).toBe(made.mtimeMs);
  // A test is not a part of the build.
  await write('libs/words/src/index.spec.ts', 'test("nothing", () => {});\n');
  expect(await project.build()).toBe(name);
});

test.each([
  ['a source', WORDS, (text: string) => `${text}\n`],
  [
    'the options of the compiler',
    '.swcrc',
    (text: string) => text.replace('"keepClassNames": true', '"keepClassNames": false'),
  ],
  ['package.json', 'package.json', (text: string) => text.replace(/"version": "[^"]+"/, '"version": "9.9.9"')],
  ['the tool itself', 'tools/build.mjs', (text: string) => `${text}\n`],
  ['what bundles', 'tools/bundle.mjs', (text: string) => `${text}\n`],
])('a change of %s gives another build', async (_, path, edit) => {
  const before = await project.build();
  await project.change(path, edit);
  expect(await project.build()).not.toBe(before);
});

test('builds at the same time all succeed', async () => {
  const builds = Array.from({ length: 4 }, () => project.run(process.execPath, 'tools/build.mjs'));
  for (const outcome of await Promise.all(builds)) expect(outcome).toEqual({ code: 0, out: '', err: '' });
  expect(await run()).toMatchObject({ out: 'first\n' });
  expect(entries()).toEqual(onlyBuild(await project.build()));
});

test('a process loads code of the build that it started with, which is removed after the process was killed', async () => {
  const late = 'apps/server/src/late.ts';
  await write(MAIN, "process.stdin.once('data', () => import('./late.ts'));\nconsole.log('ready');\n");
  await write(late, "console.log('late: first');\n");
  const first = await project.build();
  const running = project.start(process.execPath, RUN);
  await running.shows(/ready/);

  await write(late, "console.log('late: second');\n");
  const second = await project.build();
  running.write('go on\n');
  await running.shows(/late: first/);
  expect(second).not.toBe(first);

  await running.end('SIGKILL');
  await project.build();
  expect(entries()).toEqual(onlyBuild(second));
});

test('starts succeed while later builds replace the one that they choose', async () => {
  await write(MAIN, "setTimeout(() => import('#words'), 50);\n");
  await project.build();
  let building = true;
  const starts = Array.from({ length: 2 }, async () => {
    const outcomes = [];
    while (building) outcomes.push(await run());
    return outcomes;
  });
  for (let round = 0; round < 12; round += 1) {
    await say(`word ${round}`);
    await project.build();
  }
  building = false;
  for (const outcome of (await Promise.all(starts)).flat()) expect(outcome).toMatchObject({ code: 0, err: '' });
});

test('a source that cannot be compiled is named, and the newest build stays', async () => {
  const name = await project.build();
  await write(WORDS, 'export const = ;\n');
  const failed = await project.run(process.execPath, 'tools/build.mjs');
  expect(failed).toMatchObject({ code: 1, err: expect.stringContaining('words/src/index.ts') });
  expect(entries()).toEqual(onlyBuild(name));
  expect(await run()).toMatchObject({ out: 'first\n' });
});

test('what a killed build left is removed', async () => {
  await write('dist/0123456789abcdef-01234567.lock', '');
  await write('dist/0123456789abcdef-01234567/libs/words/src/index.js', '');
  await project.build();
  expect(entries()).toEqual(onlyBuild(project.current()));
});
