import { appendFile, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { e5SmallV2 } from '#ports/models';
import { findTestModel } from '../libs/ports/models/src/test-model.ts';
import { pageOf } from '../libs/processing/extraction/src/testing/pictures.ts';
import { areEmbedded } from './support/combinations.ts';
import { runMneme } from './support/command.ts';
import { eventually, Mneme } from './support/mneme.ts';
import { article, openSite, page } from './support/site.ts';
import { addDocuments, converse, documentsOf, TALK } from './support/transfer.ts';
import { addFarm, ask, COWS, serves } from './support/vector-space.ts';

/** `mneme export` and `mneme import` between two servers. */

let root: string;
let source: Mneme;
let target: Mneme;
const exported = () => join(root, 'exported');
const lines = async () =>
  (await readFile(join(exported(), 'documents.jsonl'), 'utf8'))
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'mneme-transfer-'));
  source = await Mneme.start();
  target = await Mneme.start();
  await addDocuments(source);
});
afterAll(async () => {
  await source.stop();
  await target.stop();
  await rm(root, { recursive: true });
});

test('an export is imported with the same ids, content, details, times and memories', async () => {
  expect(await source.cli('export', exported())).toMatchObject({
    code: 0,
    out: expect.stringMatching(/^5 documents/),
  });
  const chat = (await lines()).find(({ customId }) => customId === 'chat');
  expect(chat).toMatchObject({
    content: 'user: I like figs.\nassistant: Noted.',
    memories: [{ memory: 'user: I like figs.' }, { memory: 'assistant: Noted.' }],
  });
  expect(chat.history.map(({ type }: { type: string }) => type)).toEqual(
    expect.arrayContaining(['DocumentAdded', 'ContentAppended', 'MemoriesFormed']),
  );
  const imported = await target.cli('import', exported());
  expect(imported).toMatchObject({ code: 0, out: '5 documents imported, 0 unchanged, 0 skipped.\n' });
  expect(await documentsOf(target)).toEqual(await documentsOf(source));
  const { out } = await target.cli('events', '--document', chat.id);
  expect(out).toMatch(/DocumentAdded.*by system[\s\S]*DocumentImported/);
});

test('the same export again changes nothing, and imported documents are updated as ever', async () => {
  const before = await documentsOf(target);
  const again = await target.cli('import', exported());
  expect(again).toMatchObject({ code: 0, out: '0 documents imported, 5 unchanged, 0 skipped.\n' });
  expect(await documentsOf(target)).toEqual(before);
  const { body } = await target.post('/v3/documents', {
    content: 'The okapi hides.\u2028It has stripes. \uD800',
    customId: 'okapi/1',
    containerTag: 'zoo',
  });
  expect(body).toMatchObject({
    id: [...before.documents.values()].find(({ customId }) => customId === 'okapi/1')?.id,
    status: 'done',
  });
  const talk = [...before.documents.values()].find(({ customId }) => customId === 'talk');
  expect(await converse(target, TALK)).toBe(talk?.id);
  expect(await documentsOf(target)).toEqual(before);
  // An export of the import has the times of the first installation.
  const second = join(root, 'second');
  await target.cli('export', second, '--tag', 'zoo');
  const [first] = (await readFile(join(second, 'documents.jsonl'), 'utf8')).trim().split('\n');
  const line = JSON.parse(first as string);
  expect(line).toEqual((await lines()).find(({ id }) => id === line.id));
  expect(JSON.parse(await readFile(join(second, 'manifest.json'), 'utf8'))).toMatchObject({ documents: 2, tag: 'zoo' });
});

test('an export is imported into a folder on which no server has run, and the first start shows its key', async () => {
  if (!areEmbedded()) return;
  const env = { MNEME_EMBEDDING: 'off' };
  const [folder, incomplete] = [join(root, 'fresh'), join(root, 'incomplete')];
  const importInto = (data: string, from: string) => runMneme(['import', from], { folder: data, env });
  expect(await importInto(folder, incomplete)).toMatchObject({ code: 1, err: expect.stringMatching(/no complete/) });
  await expect(readdir(folder)).rejects.toThrow('ENOENT');
  expect(await importInto(root, exported())).toEqual({
    ...{ code: 1, out: '' },
    err:
      `The data folder ${root} has no event log and is not empty. An export is imported into an installation, or into ` +
      'an empty folder.\n',
  });
  const imported = await importInto(folder, exported());
  expect(imported).toEqual({
    code: 0,
    out: '5 documents imported, 0 unchanged, 0 skipped.\n',
    err: expect.not.stringContaining('Line'),
  });
  const unkeyed = await Mneme.start({ folder, env: { MNEME_API_KEY: undefined } });
  const key = (await readFile(join(folder, 'owner.key'), 'utf8')).trim();
  const shown = unkeyed.output.some((line) => line.includes(key));
  const fresh = await unkeyed.restart('SIGTERM', { MNEME_API_KEY: key });
  try {
    expect(shown).toBe(true);
    const authorized = { authorization: `Bearer ${key}` };
    const get = async <T>(path: string) => (await fresh.get<T>(path, authorized)).body;
    for (const [id, document] of (await documentsOf(source)).documents) {
      const { customId } = document;
      await eventually(async () =>
        (await get<{ status: string }>(`/v3/documents/${id}`)).status === 'done' ? true : null,
      );
      expect(await get(`/v3/documents/${id}`)).toMatchObject({ id, customId });
    }
  } finally {
    await fresh.stop();
  }
});

test('documents whose id or customId is taken, and malformed lines, are skipped and named', async () => {
  const other = await Mneme.start();
  try {
    const documents = await lines();
    const [okapi, long, chat] = ['okapi/1', 'long', 'chat'].map((name) =>
      documents.find(({ customId }) => customId === name),
    );
    await other.addAndWait('Mine.', { customId: 'long', containerTag: 'desert' });
    await other.cli('import', exported());
    await other.addAndWait('user: More.', { customId: 'chat', containerTag: 'zoo' });
    await other.request('DELETE', `/v3/documents/${okapi.id}`);
    await appendFile(join(exported(), 'documents.jsonl'), '{"id":"x"}\nnothing\n');
    const skipped = await other.cli('import', exported());
    expect(skipped).toMatchObject({ code: 1, out: '0 documents imported, 2 unchanged, 5 skipped.\n' });
    for (const message of [
      `The document ${okapi.id} was deleted here.`,
      `There is a document ${chat.id} with other content.`,
      `The document ${long.id} is not imported: another document with its tags has its customId "long".`,
      'Line 6: This is no document of an export: id is missing or not valid.',
      'Line 7: This is no document of an export: it is not JSON.',
    ]) {
      expect(skipped.err).toContain(message);
    }
    // The customId of the deleted document is free, that of the changed one is not.
    const renewed = await other.cli('import', exported(), '--new-ids');
    expect(renewed).toMatchObject({ code: 1, out: '1 documents imported, 2 unchanged, 4 skipped.\n' });
    expect(renewed.err).toContain(
      `The document ${chat.id} is not imported: another document with its tags has its customId "chat".`,
    );
    const copy = await other.settled('okapi/1');
    expect(copy).toMatchObject({ status: 'done', content: okapi.content, createdAt: okapi.createdAt });
    expect(copy.id).not.toBe(okapi.id);
    expect(await other.cli('import', exported(), '--new-ids')).toMatchObject({
      out: '0 documents imported, 3 unchanged, 4 skipped.\n',
    });
  } finally {
    await other.stop();
  }
});

test('a stopped server is exported, a damaged file is named, an incomplete export is refused', async () => {
  const other = await Mneme.start();
  try {
    await source.kill('SIGTERM');
    const folder = join(root, 'stopped');
    expect(await source.cli('export', folder)).toMatchObject({ code: 0 });
    expect(await source.cli('export', folder)).toMatchObject({ code: 1, err: expect.stringMatching(/is not empty/) });
    const [file] = await readdir(join(folder, 'files'));
    await writeFile(join(folder, 'files', file as string), 'changed');
    const imported = await other.cli('import', folder);
    expect(imported).toMatchObject({ code: 1, out: '4 documents imported, 0 unchanged, 1 skipped.\n' });
    expect(imported.err).toContain(`files/${file} has changed`);
    await rm(join(folder, 'manifest.json'));
    expect(await other.cli('import', folder)).toMatchObject({
      code: 1,
      err: expect.stringMatching(/no complete export/),
    });
  } finally {
    await other.stop();
  }
});

test('with the model, a restored backup and an import are found by meaning again', async () => {
  const model = await findTestModel();
  if ('missing' in model) return;
  const env = { MNEME_EMBEDDING: 'local', MNEME_MODELS: join(model.dataFolder, 'models') };
  const servers: Mneme[] = [];
  const start = async (options: { readonly folder?: string } = {}) => {
    const server = await Mneme.start({ ...options, env });
    servers.unshift(server);
    return server;
  };
  try {
    const first = await start();
    await serves(first, e5SmallV2);
    await addFarm(first, 3);
    const answer = await eventually(async () =>
      (await ask(first, 'farm')).every(isByMeaning) ? ask(first, 'farm') : null,
    );
    expect(answer[0]?.memory).toBe(COWS);
    const folder = join(root, 'farm');
    expect(await first.cli('export', folder)).toMatchObject({ code: 0 });

    const second = await start();
    expect(await second.cli('import', folder)).toMatchObject({ code: 0 });
    await serves(second, e5SmallV2);
    const same = async (server: Mneme) =>
      JSON.stringify(await ask(server, 'farm')) === JSON.stringify(answer) ? true : null;
    await eventually(() => same(second));

    if (!areEmbedded()) return;
    const [backup, data] = [join(root, 'backup'), join(root, 'restored')];
    expect(await first.cli('backup', backup)).toMatchObject({ code: 0 });
    expect(await runMneme(['restore', backup], { folder: data, env })).toMatchObject({ code: 0 });
    const restored = await start({ folder: data });
    await serves(restored, e5SmallV2);
    await eventually(() => same(restored));
  } finally {
    for (const server of servers) await server.stop();
  }
});

test('pictures, scanned files and fetched pages arrive as they were read; only what is left over is done', async () => {
  const SIGN = { width: 900, height: 300, left: 30, top: 90 };
  const sign = (words: string) => pageOf([words], SIGN).png().toBuffer();
  const served = await sign('The keeper sells nets.');
  const site = await openSite({
    '/sign.png': page(served, { 'Content-Type': 'image/png' }),
    '/ferry': (request, response) => {
      const status = request.headers['if-none-match'] === '"1"' ? 304 : 200;
      response.writeHead(status, { 'Content-Type': 'text/html', ETag: '"1"' });
      response.end(status === 304 ? '' : article('The ferry leaves at nine.'));
    },
    '/busy': (_request, response) => response.writeHead(503).end(),
  });
  const env = { MNEME_FETCH_LOOPBACK: 'on', MNEME_FFMPEG: join(root, 'no-ffmpeg') };
  const [first, second] = [await Mneme.start({ env }), await Mneme.start({ env })];
  try {
    const sent = `data:image/png;base64,${(await sign('The goats ate the rope.')).toString('base64')}`;
    const message = (url: string, text: string) => ({
      ...{
        role: 'user',
        content: [
          { type: 'text', text },
          { type: 'image_url', imageUrl: { url } },
        ],
      },
    });
    const talk = [message(sent, 'Look at these.'), message(site.url('/sign.png'), 'And at this sign.')];
    const upload = async (name: string, bytes: Uint8Array<ArrayBuffer>) => {
      const form = new FormData();
      form.append('file', new Blob([bytes]), name);
      return (await first.request<{ id: string }>('POST', '/v3/documents/file', form)).body.id;
    };
    const ferry = () => first.add(site.url('/ferry'), { customId: 'ferry' });
    const busy = await first.add(site.url('/busy'), { customId: 'busy' });
    const ids = [
      await converse(first, talk),
      await upload('scan.png', new Uint8Array(await sign('Low tide at six.'))),
      await upload('talk.wav', new TextEncoder().encode('RIFF\0\0\0\0WAVEfmt ')),
      await ferry(),
    ];
    await first.settled('ferry');
    await ferry();
    const recordOf = async (mneme: Mneme, id: string) => ({
      record: await mneme.settled(id, 110_000),
      chunks: (await mneme.get(`/v3/documents/${id}/chunks`)).body,
    });
    const before = await Promise.all(ids.map((id) => recordOf(first, id)));
    const words = /\[image: The goats ate the rope\.\].*\[image http\S+: The keeper sells nets\.\]/;
    expect(before.map(({ record }) => record.status)).toEqual(['done', 'done', 'failed', 'done']);
    expect(JSON.stringify(before[0]?.chunks)).toMatch(words);
    expect(site.asked.filter((path) => path === '/ferry')).toHaveLength(2);

    const folder = join(root, 'kinds');
    expect(await first.cli('export', folder)).toMatchObject({ code: 0 });
    site.asked.length = 0;
    expect(await second.cli('import', folder)).toMatchObject({ code: 0, out: expect.stringMatching(/^5 documents/) });
    expect(await Promise.all(ids.map((id) => recordOf(second, id)))).toEqual(before);
    expect(before[2]?.record.processingError).toMatchObject({ code: 'ffmpeg_missing' });
    const typesAfter = async (id: string) => {
      const { events } = (await second.get<{ events: { type: string }[] }>(`/v3/documents/${id}/events`)).body;
      const types = events.map(({ type }) => type);
      return types.slice(types.indexOf('DocumentImported') + 1);
    };
    for (const [i, id] of ids.entries()) expect(await typesAfter(id)).toEqual(i === 2 ? [] : ['DocumentIndexed']);
    // What the first one still had to fetch, the second one fetches, and nothing else.
    await eventually(async () => ((await typesAfter(busy)).includes('FetchDelayed') ? true : null));
    expect(new Set(site.asked)).toEqual(new Set(['/busy']));
    // The words of the pictures are known to later calls, too.
    await converse(second, [...talk, { role: 'assistant', content: 'Nets and goats.' }]);
    await eventually(async () => ((await second.get('/v3/documents/talk')).body.status === 'done' ? true : null));
    expect(JSON.stringify((await recordOf(second, 'talk')).chunks)).toMatch(words);
    expect(site.asked).not.toContain('/sign.png');
  } finally {
    await first.stop();
    await second.stop();
    site.close();
  }
});

const isByMeaning = ({ cosine }: { readonly cosine: string | null }) => cosine !== null;
