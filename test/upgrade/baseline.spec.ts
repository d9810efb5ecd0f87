import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Mneme } from '../support/mneme.ts';
import { type Answered, answersOf, readAnswers } from './answers.ts';
import { unpack } from './archive.ts';
import { IDEMPOTENT } from './story.ts';

/** A data folder on which the baseline 0.1.0 was killed opens with this version: see README.md. */

const file = (name: string) => join(import.meta.dirname, name);
const expected = await readAnswers(file('baseline.answers.ndjson'));

let folder: string;
let mneme: Mneme | null = null;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mneme-upgrade-'));
  await unpack(file('baseline.zst'), folder);
});
afterEach(async () => {
  await mneme?.stop();
  await rm(folder, { recursive: true, force: true });
});

test.each([
  ['its views', []],
  ['views that are built again', ['views.db', 'views.db-wal']],
])('with %s, it gives the same answers, and unfinished documents are done', async (_, removed) => {
  for (const name of removed) await rm(join(folder, name), { force: true });
  mneme = await Mneme.start({ folder });
  expect(await answersOf(mneme)).toEqual(expected);
  expect(await mneme.cli('replay', '--verify')).toMatchObject({ code: 0 });
});

test('it is exported and imported', async () => {
  mneme = await Mneme.start({ folder });
  const before = await answersOf(mneme);
  const target = join(folder, 'export');
  expect(await mneme.cli('export', target)).toMatchObject({ code: 0 });
  const other = await Mneme.start();
  try {
    expect(await other.cli('import', target)).toMatchObject({ code: 0 });
    const contents = (answers: readonly Answered[]) =>
      answers.filter(({ path }) => path.startsWith('/v3/documents/unfinished'));
    expect(contents(await answersOf(other))).toEqual(contents(before));
  } finally {
    await other.stop();
  }
});

test('it knows its keys, Idempotency-Keys and customIds', async () => {
  mneme = await Mneme.start({ folder });
  const headers = { 'idempotency-key': IDEMPOTENT.key };
  const again = await mneme.post('/v3/documents', IDEMPOTENT.body, headers);
  expect(again).toMatchObject({ status: 200 });
  const other = await mneme.post('/v3/documents', { ...IDEMPOTENT.body, content: 'Another request.' }, headers);
  expect(other).toMatchObject({ status: 409, body: { code: 'conflict' } });
  const id = await mneme.add('Tuva sails, too.', { customId: 'facts', containerTag: 'facts' });
  expect((await mneme.get('/v3/documents/facts')).body.id).toBe(id);
});
