import { randomFillSync } from 'node:crypto';
import { closeSync, openSync, writeSync } from 'node:fs';
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { inParallel } from './support/load.ts';
import { type Answer, eventually, Mneme } from './support/mneme.ts';

/** Damaged views and lost search threads on a running server: self-repair without data loss. */

const TAGS = ['home 0', 'home 1', 'home 2'];
let pristine: string;
let before: unknown[];
let mneme: Mneme;
const folders: string[] = [];

beforeAll(async () => {
  pristine = await mkdtemp(join(tmpdir(), 'mneme-damage-'));
  const first = await Mneme.start({ folder: pristine });
  try {
    await inParallel(
      Array.from({ length: 60 }, (_, i) => i),
      8,
      async (i) =>
        void (await first.addAndWait(
          `# Ferry ${i}\n\nThe ferry leaves at noon on day ${i}. ${`Waves and wind, mast ${i}. `.repeat(i * 5)}\n\nAda: Where do you live?\nBo: In Oslo, house ${i}.`,
          { containerTag: TAGS[i % 3], customId: `c${i}`, metadata: { i } },
        )),
    );
    before = (await answers(first)) as unknown[];
  } finally {
    await first.kill('SIGTERM');
  }
});

afterAll(() => rm(pristine, { recursive: true, force: true }));

afterEach(async () => {
  await mneme.kill('SIGTERM');
  for (const folder of folders.splice(0)) await rm(folder, { recursive: true, force: true });
});

async function start(folder: string, env: Record<string, string> = {}): Promise<void> {
  mneme = await Mneme.start({ folder, env });
}

async function copied(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'mneme-damage-'));
  folders.push(folder);
  await cp(pristine, folder, { recursive: true });
  return folder;
}

const isRefused = ({ status, body, headers }: Answer): boolean =>
  status === 503 && body.code === 'unavailable' && Number(headers.get('retry-after')) > 0;

/** Returns the comparable fields of all read responses, or null if one was a 503. Fails for any other status. */
async function answers(of: Mneme): Promise<unknown[] | null> {
  const questions = TAGS.flatMap((containerTag) => [
    ['/v3/documents/list', { containerTags: [containerTag], limit: 100, includeContent: true }] as const,
    ...['ferry', 'Where does Bo live?', 'mast 47', '*'].flatMap((q) => [
      ['/v3/search', { q, containerTags: [containerTag], limit: 50, includeFullDocs: true }] as const,
      ['/v4/search', { q, containerTag, limit: 50, threshold: 0, searchMode: 'hybrid' }] as const,
    ]),
  ]);
  const found: unknown[] = [];
  let refused = false;
  for (const [path, question] of questions) {
    const answer = await of.post(path, question);
    if (isRefused(answer)) refused = true;
    else expect({ path, status: answer.status, body: answer.body }).toMatchObject({ status: 200 });
    const { memories, results, pagination, total } = answer.body;
    found.push({ path, question, memories, results, pagination, total });
  }
  return refused ? null : found;
}

/** Overwrites the middle page of a table; all pages of units, because a search reads only its hits. */
function damage(folder: string, table: string): void {
  const path = join(folder, 'views.db');
  const db = new DatabaseSync(path, { readOnly: true });
  const pages = db
    .prepare("SELECT pageno, pgsize, pgoffset FROM dbstat WHERE name = ? AND pagetype = 'leaf' ORDER BY pageno")
    .all(table) as unknown as { readonly pgsize: number; readonly pgoffset: number }[];
  db.close();
  const middle = Math.floor(pages.length / 2);
  const file = openSync(path, 'r+');
  for (const { pgsize, pgoffset } of table === 'units' ? pages : pages.slice(middle, middle + 1)) {
    writeSync(file, randomFillSync(Buffer.alloc(pgsize)), 0, pgsize, pgoffset);
  }
  closeSync(file);
}

const repairLogLines = () => mneme.output.filter((line) => line.includes('the views are damaged')).length;

async function expectRepaired(): Promise<void> {
  await eventually(async () => (repairLogLines() > 0 ? true : await answers(mneme).then(() => null)));
  expect(await eventually(() => answers(mneme))).toEqual(before);
  const isHealthy = async () => (await mneme.get('/v3/health')).body.status === 'ok';
  await eventually(async () => ((await isHealthy()) ? true : null));
  expect(repairLogLines()).toBe(1);
  await mneme.addAndWait('And it goes on.', { containerTag: 'on' });
  const { body } = await mneme.post('/v4/search', { q: 'goes on', containerTag: 'on', threshold: 0 });
  expect(body.results).toMatchObject([{ memory: 'And it goes on.' }]);
}

test.each(['documents', 'units', 'memory_entries', 'chunk_entries'])(
  'a page of %s overwritten on a stopped server is detected at the first read, and the views are rebuilt',
  async (table) => {
    const folder = await copied();
    damage(folder, table);
    await start(folder);
    await expectRepaired();
  },
);

test.each(['documents', 'units'])(
  'a page of %s overwritten on a running server is detected at the first read, and the views are rebuilt',
  async (table) => {
    const folder = await copied();
    await start(folder);
    expect(await answers(mneme)).toEqual(before);
    damage(folder, table);
    // A batch that changes the page makes SQLite read it from the file again.
    const during = await mneme.add('Added to damaged views.', { containerTag: 'during' });
    await expectRepaired();
    expect((await mneme.settled(during)).status).toBe('done');
  },
);

test('damage found by the writer triggers a rebuild, and changes during the rebuild are applied', async () => {
  const folder = await copied();
  damage(folder, 'documents');
  damage(folder, 'sqlite_autoindex_documents_1');
  await start(folder);
  const ids = await Promise.all(
    Array.from({ length: 60 }, (_, i) => mneme.add(`Changed note ${i}.`, { customId: `c${i}`, containerTag: 'moved' })),
  );
  for (const id of ids) expect((await mneme.settled(id)).status).toBe('done');
  expect(repairLogLines()).toBe(1);
  const { body } = await mneme.post('/v3/documents/list', { containerTags: ['moved'], limit: 200 });
  expect(body.pagination).toMatchObject({ totalItems: 60 });
});

test('a lost search thread is replaced every time', async () => {
  await start(await copied(), {
    NODE_OPTIONS: `--import ${resolve(import.meta.dirname, 'support/end-search-thread.ts')}`,
  });
  for (let round = 1; round <= 2; round += 1) {
    process.kill(mneme.pid, 'SIGUSR2');
    await eventually(async () => {
      expect(await answers(mneme).then((found) => found ?? before)).toEqual(before);
      return mneme.output.filter((line) => line.includes('was lost')).length === round ? true : null;
    });
    expect(await eventually(() => answers(mneme))).toEqual(before);
  }
});
