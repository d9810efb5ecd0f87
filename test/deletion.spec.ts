import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { findTestModel } from '../libs/ports/models/src/test-model.ts';
import { areEmbedded } from './support/combinations.ts';
import { untilErased, wordsHeld } from './support/erasure.ts';
import { eventually, Mneme, whileItLasts } from './support/mneme.ts';

/** Permanent deletion over HTTP: of one document and of many, in every stage, down to the bytes of the files. */

interface Totals {
  success: boolean;
  deletedCount: number;
  errors?: { id: string; error: string }[];
  containerTags?: string[];
}

let mneme: Mneme;
beforeAll(async () => {
  mneme = await Mneme.start();
});
afterAll(() => mneme.stop());

const removeMany = (body: object) => mneme.request<Totals>('DELETE', '/v3/documents/bulk', body);
const remove = (id: string) => mneme.request('DELETE', `/v3/documents/${encodeURIComponent(id)}`);

async function found(q: string, fields: object = {}): Promise<number> {
  const { body } = await mneme.post<{ results: unknown[] }>('/v3/search', { q, ...fields });
  return body.results.length;
}

async function listed(fields: object): Promise<number> {
  const { body } = await mneme.post<{ pagination: { totalItems: number } }>('/v3/documents/list', fields);
  return body.pagination.totalItems;
}

async function upload(name: string, text: string, fields: Record<string, string>, to: Mneme = mneme): Promise<string> {
  const form = new FormData();
  form.append('file', new Blob([text]), name);
  for (const [field, value] of Object.entries(fields)) form.append(field, value);
  const { body } = await to.request<{ id: string }>('POST', '/v3/documents/file', form);
  return body.id;
}

/** Returns a word that occurs nowhere else. */
const word = (): string => `zyx${crypto.randomUUID().replaceAll('-', '')}`;

const doctor = async () => (await mneme.cli('doctor')).out;

describe('many documents', () => {
  test('by ids and customIds: each counts once, unknown ids are errors, nothing returns them afterwards', async () => {
    const [first, second, kept] = [
      await mneme.addAndWait('The marmot whistles.', { containerTag: 'ids' }),
      await mneme.add('The marmot digs.', { containerTag: 'ids', customId: 'marmot/2' }),
      await mneme.addAndWait('The marmot stays.', { containerTag: 'ids' }),
    ];
    const ids = [first, 'marmot/2', second, first, 'unknown'];
    expect(await removeMany({ ids })).toMatchObject({
      status: 200,
      body: { success: false, deletedCount: 2, errors: [{ id: 'unknown', error: 'Document not found' }] },
    });
    for (const id of [first, second, 'marmot/2']) expect((await mneme.get(`/v3/documents/${id}`)).status).toBe(404);
    expect(await found('marmot', { containerTags: ['ids'] })).toBe(1);
    expect(await listed({ containerTags: ['ids'] })).toBe(1);
    expect((await removeMany({ ids: [kept] })).body).toEqual({ success: true, deletedCount: 1 });
    const again = await mneme.add('Another marmot.', { customId: 'marmot/2' });
    expect(again).not.toBe(second);
  });

  test('by tag: also documents with other tags, and those that were added just before', async () => {
    const ids = await Promise.all([
      mneme.addAndWait('Tagged once.', { containerTag: 'gone/1' }),
      mneme.addAndWait('Tagged twice.', { containerTags: ['stays', 'gone/2'] }),
      mneme.addAndWait('Tagged otherwise.', { containerTag: 'stays' }),
      ...Array.from({ length: 50 }, (_, i) => mneme.add(`Added before: ${i}.`, { containerTag: 'gone/1' })),
    ]);
    expect((await removeMany({ containerTags: ['gone/1', 'gone/2'] })).body).toEqual({
      ...{ success: true, deletedCount: ids.length - 1, containerTags: ['gone/1', 'gone/2'] },
    });
    expect(await listed({ containerTags: ['gone/1', 'gone/2'] })).toBe(0);
    expect(await listed({ containerTags: ['stays'] })).toBe(1);
    expect((await removeMany({ containerTag: 'gone/1' })).body).toMatchObject({ success: true, deletedCount: 0 });
  });

  test('by filepath: exactly, or all below a path that ends in /', async () => {
    const paths = ['/notes/a.md', '/notes/b/c.md', '/notes', '/notesx'];
    await Promise.all(paths.map((filepath) => mneme.add(`At ${filepath}.`, { filepath, containerTag: 'paths' })));
    expect((await removeMany({ filepath: '/notes/' })).body).toEqual({ success: true, deletedCount: 2 });
    expect((await removeMany({ filepath: '/notes' })).body).toEqual({ success: true, deletedCount: 1 });
    expect(await listed({ containerTags: ['paths'] })).toBe(1);
  });

  test('what is added during a deletion stays, and adds and searches go on', async () => {
    await Promise.all(Array.from({ length: 120 }, (_, i) => mneme.add(`Before ${i}.`, { containerTag: 'during' })));
    const removing = removeMany({ containerTag: 'during' });
    let isDone = false;
    void removing.finally(() => {
      isDone = true;
    });
    const later: string[] = [];
    while (!isDone) {
      later.push(await mneme.add('Added meanwhile.', { containerTag: 'elsewhere' }));
      await found('meanwhile', { containerTags: ['elsewhere'] });
    }
    expect((await removing).body).toMatchObject({ success: true, deletedCount: 120 });
    const after = await mneme.add('Added after.', { containerTag: 'during' });
    await mneme.settled(after);
    expect(await listed({ containerTags: ['during'] })).toBe(1);
    expect(await listed({ containerTags: ['elsewhere'] })).toBe(later.length);
  });

  test('the same request joins the one that runs, and gets its totals', async () => {
    await Promise.all(Array.from({ length: 300 }, (_, i) => mneme.add(`Twice ${i}.`, { containerTag: 'twice' })));
    const [first, second] = await Promise.all([
      removeMany({ containerTag: 'twice' }),
      removeMany({ containerTag: 'twice' }),
    ]);
    expect(first.body).toMatchObject({ success: true, deletedCount: 300 });
    expect(second.body).toMatchObject({ success: true, deletedCount: 300 });
    expect(await doctor()).toMatch(/bulk deletions\s+none runs/);
  });
});

/** Each part deletes documents and returns words that stood only in them. The parts run at once and share the wait. */
const PARTS: Record<string, () => Promise<readonly string[]>> = {
  'one by customId, after an update, with a file beside it': async () => {
    const all = Array.from({ length: 7 }, word);
    const [content, earlier, value, key, path, name, customId] = all as [string, string, ...string[]];
    const fields = { containerTag: 'erased', customId, metadata: { [key!]: value }, filepath: `/${path}/a.md` };
    await mneme.addAndWait(`${earlier} was here first.`, fields);
    await mneme.addAndWait(`${content} came later. ${'It was a long day. '.repeat(2_000)}`, { customId });
    const file = await upload(`${name}.txt`, `A file about ${content}.`, { containerTags: 'erased' });
    await mneme.settled(file);
    expect((await wordsHeld(mneme, [content])).length).toBeGreaterThan(0);
    expect((await remove(customId!)).status).toBe(204);
    expect((await removeMany({ ids: [file] })).body).toEqual({ success: true, deletedCount: 1 });
    return all;
  },

  'many by tag and by filepath, which the request held': async () => {
    const [tagged, placed, path] = [word(), word(), word()];
    await Promise.all([
      ...Array.from({ length: 100 }, (_, i) => mneme.add(`${tagged} ${i}`, { containerTag: 'erased/tag' })),
      ...Array.from({ length: 100 }, (_, i) => mneme.add(`${placed} ${i}`, { filepath: `/${path}/${i}` })),
    ]);
    expect((await removeMany({ containerTag: 'erased/tag' })).body.deletedCount).toBe(100);
    expect((await removeMany({ filepath: `/${path}/` })).body.deletedCount).toBe(100);
    return [tagged, placed, path];
  },

  'in every stage': async () => {
    const early = word();
    const long = `${early} begins. ${'Sentence after sentence follows. '.repeat(3_000)} ${early} ends.`;
    const stages = ['queued', 'extracting', 'chunking', 'indexing', 'done'];
    for (const stage of stages) {
      const id = await mneme.add(long, { containerTag: 'erased/stage', metadata: { early } });
      // A stage may be over before it is seen.
      const isThere = async () => {
        const { body } = await mneme.get(`/v3/documents/${id}`);
        return stages.indexOf(body.processingStage as string) >= stages.indexOf(stage) ? true : null;
      };
      await whileItLasts(isThere);
      expect((await remove(id)).status).toBe(204);
    }
    const pages = Array.from({ length: 20 }, (_, i) => upload(`${early}.html`, `<p>${i}</p>${long}`, {}));
    expect((await removeMany({ ids: await Promise.all(pages) })).body).toEqual({ success: true, deletedCount: 20 });
    expect(await found(early)).toBe(0);
    return [early];
  },

  'a file that cannot be read': async () => {
    const failed = word();
    const id = await upload(`${failed}.pdf`, `%PDF-1.7 ${failed}`, { metadata: JSON.stringify({ failed }) });
    expect((await mneme.settled(id)).status).toBe('failed');
    expect((await remove(id)).status).toBe(204);
    return [failed];
  },

  'the second of two documents with the same text': async () => {
    const [shared, own] = [word(), word()];
    const text = `${shared} is in both documents.`;
    const gone = await mneme.addAndWait(text, { containerTag: 'shared', metadata: { own } });
    const kept = await mneme.addAndWait(text, { containerTag: 'shared' });
    expect((await removeMany({ ids: [gone] })).body).toEqual({ success: true, deletedCount: 1 });
    expect((await mneme.get(`/v3/documents/${kept}`)).body).toMatchObject({ content: text, status: 'done' });
    expect(await found(shared, { containerTags: ['shared'] })).toBe(1);
    return [own];
  },
};

test('a minute after a deletion neither the data folder nor an engine holds a word of the documents', async () => {
  const words = await Promise.all(Object.values(PARTS).map((part) => part()));
  await untilErased(mneme, words.flat());
  const left = areEmbedded('opensearch') ? '' : 'OpenSearch: \\d+ of \\d+ rows wait for a merge';
  expect(await doctor()).toMatch(new RegExp(`left to erase.*${left}`));
});

test('with the model, neither a word nor a vector stays: after an update, of a replaced file, and while it is embedded', async () => {
  const model = await findTestModel();
  if ('missing' in model) return;
  const env = { MNEME_EMBEDDING: 'local', MNEME_MODELS: join(model.dataFolder, 'models') };
  const server = await Mneme.start({ env });
  try {
    await eventually(async () => {
      const { body } = await server.get<{ search: { vectors: boolean } }>('/v3/health');
      return body.search.vectors ? true : null;
    });
    const [earlier, later, first, second, early] = Array.from({ length: 5 }, word) as [string, ...string[]];
    /** Nothing but the log shows a text that was replaced. */
    const expectHidden = async (replaced: string, id: string) => {
      const asked = { q: `What does ${replaced} sing?`, chunkThreshold: 0, includeFullDocs: true };
      const answers = [
        await server.post('/v3/search', asked),
        await server.post('/v4/search', { q: asked.q, threshold: 0 }),
        await server.post('/v3/documents/list', { includeContent: true }),
        await server.get(`/v3/documents/${id}`),
        await server.get(`/v3/documents/${id}/chunks`),
      ];
      for (const { status, body } of answers) {
        expect({ status, shows: JSON.stringify(body).replaceAll(asked.q, '').includes(replaced) }).toEqual({
          ...{ status: 200, shows: false },
        });
      }
    };
    const updated = await server.addAndWait(`${earlier} sings at noon. The lake is quiet in the evening.`);
    await server.request('PATCH', `/v3/documents/${updated}`, {
      content: `${later} sings at dusk. The lake is quiet.`,
    });
    expect((await server.settled(updated)).status).toBe('done');
    await expectHidden(earlier, updated);

    const customId = { customId: `file ${word()}` };
    const file = await upload('song.txt', `${first} sings in the file.`, customId, server);
    await server.settled(file);
    expect(await upload('song.txt', `${second} sings in another file.`, customId, server)).toBe(file);
    expect((await server.settled(file)).status).toBe('done');
    await expectHidden(first!, file);

    const long = Array.from({ length: 400 }, (_, i) => `${early} sang for ${i} hours on the ${i}th day.`).join('\n\n');
    const embedding = await server.add(long);
    await whileItLasts(async () => {
      const { body } = await server.get(`/v3/documents/${embedding}`);
      return ['embedding', 'indexing', 'done'].includes(body.processingStage as string) ? true : null;
    });
    for (const id of [embedding, updated, file]) {
      expect((await server.request('DELETE', `/v3/documents/${id}`)).status).toBe(204);
    }
    await untilErased(server, [earlier, later!, first!, second!, early!, customId.customId]);
    if (areEmbedded('nats')) await eventually(async () => (vectorsIn(server.folder) === 0 ? true : null));
  } finally {
    await server.stop();
  }
});

function vectorsIn(folder: string): number {
  const db = new DatabaseSync(join(folder, 'vectors.db'), { readOnly: true });
  const { count } = db
    .prepare('SELECT (SELECT count(*) FROM vectors) + (SELECT count(*) FROM users) AS count')
    .get() as {
    count: number;
  };
  db.close();
  return count;
}

test.each(['SIGKILL', 'SIGTERM'] as const)(
  'a deletion that %s interrupts is finished after the next start',
  async (signal) => {
    let server = await Mneme.start();
    try {
      const count = 300;
      const tag = { containerTags: ['crash'] };
      await Promise.all(Array.from({ length: count }, (_, i) => server.add(`Crash ${i}.`, { containerTag: 'crash' })));
      const total = async (of: Mneme) => {
        const list = await of.post<{ pagination: { totalItems: number } }>('/v3/documents/list', tag);
        // A busy engine may ask for another try.
        if (list.status === 503) return null;
        expect(list.status).toBe(200);
        return list.body.pagination.totalItems;
      };
      await eventually(async () => ((await total(server)) === count ? true : null));
      const answer = server.request('DELETE', '/v3/documents/bulk', tag).catch(() => null);
      await whileItLasts(async () => ((await total(server)) ?? count) < count || null);
      // SIGTERM: a stop in order, or given up after its time limit on a busy machine.
      expect(signal === 'SIGTERM' ? [0, null] : [null]).toContain(await server.kill(signal));
      // It may have been finished before the signal arrived.
      expect([undefined, 200, 503]).toContain((await answer)?.status);
      server = await server.restart();
      await eventually(async () => ((await total(server)) === 0 ? true : null));
      const totals = await server.request<Totals>('DELETE', '/v3/documents/bulk', tag);
      // The first request may have been finished by now.
      expect([0, count]).toContain(totals.body.deletedCount);
      expect(totals.body.success).toBe(true);
    } finally {
      await server.stop();
    }
  },
);
