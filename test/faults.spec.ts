import { randomFillSync } from 'node:crypto';
import { closeSync, openSync, statSync, writeSync } from 'node:fs';
import { cp, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { modelFolder } from '../libs/ports/models/src/model-files.ts';
import { findTestModel } from '../libs/ports/models/src/test-model.ts';
import { inParallel, Load, type SentDocument, seeded, wordOf } from './support/load.ts';
import { type Answer, eventually, Mneme } from './support/mneme.ts';
import { SmallDisk } from './support/small-disk.ts';

/** Crashes, full disks, damaged files and overload: acknowledged writes survive, deleted documents stay deleted. */

const LIMIT = 1100;

interface ListItem {
  readonly id: string;
  readonly customId: string | null;
  readonly content: string;
  readonly status: string;
}

/** Servers and folders of a test, stopped and removed after it. */
const running: Mneme[] = [];
const folders: string[] = [];
const disks: SmallDisk[] = [];

async function start(options: Parameters<typeof Mneme.start>[0] = {}): Promise<Mneme> {
  const mneme = await Mneme.start(options);
  running.push(mneme);
  return mneme;
}

async function newFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'mneme-faults-'));
  folders.push(folder);
  return folder;
}

afterEach(async () => {
  for (const mneme of running.splice(0)) await mneme.kill();
  for (const disk of disks.splice(0)) await disk.unmount();
  for (const folder of folders.splice(0)) await rm(folder, { recursive: true, force: true });
});

/** Returns all documents that match the fields. */
async function listAll(mneme: Mneme, fields: object = {}): Promise<ListItem[]> {
  const documents: ListItem[] = [];
  for (let page = 1; ; page += 1) {
    const { status, body } = await mneme.post('/v3/documents/list', {
      ...fields,
      page,
      limit: LIMIT,
      includeContent: true,
    });
    expect(status).toBe(200);
    documents.push(...(body.memories as ListItem[]));
    const { totalPages, totalItems } = body.pagination as { totalPages: number; totalItems: number };
    if (page < totalPages) continue;
    expect(documents).toHaveLength(totalItems);
    return documents;
  }
}

/** Waits until no document is unfinished. */
const processed = (mneme: Mneme) =>
  eventually(async () => {
    const { body } = await mneme.get('/v3/documents/processing');
    return body.totalCount === 0 ? true : null;
  });

/** Waits until the views have reached the end of the log. */
const rebuilt = (mneme: Mneme) =>
  eventually(async () => {
    const { body } = await mneme.get('/v3/health');
    return (body.views as { rebuilding: boolean }).rebuilding ? null : true;
  });

/** Returns the comparable fields of read responses: order, ids, similarities, texts. */
async function answers(mneme: Mneme, words: readonly string[], containerTag?: string): Promise<unknown[]> {
  const scope = containerTag === undefined ? {} : { containerTag };
  const lists = [
    { sort: 'createdAt', order: 'asc' },
    { sort: 'updatedAt', order: 'desc' },
  ];
  const searches = words.flatMap((q) => [
    ['/v3/search', { q, ...scope, limit: 50, includeFullDocs: true, onlyMatchingChunks: false }] as const,
    ...['memories', 'documents', 'hybrid'].map(
      (searchMode) => ['/v4/search', { q, ...scope, limit: 50, threshold: 0, searchMode }] as const,
    ),
  ]);
  const found: unknown[] = [];
  for (const list of lists) found.push(await listAll(mneme, { ...scope, ...list }));
  for (const [path, query] of searches) {
    const { status, body } = await mneme.post(path, query);
    expect(status).toBe(200);
    found.push({ path, query, total: body.total, results: body.results });
  }
  if (containerTag !== undefined) found.push((await mneme.post('/v4/profile', { containerTag })).body);
  return found;
}

/** Checks that the server has exactly the acknowledged documents. */
async function expectAcknowledgedState(mneme: Mneme, load: Load): Promise<void> {
  await rebuilt(mneme);
  await processed(mneme);
  const listed = await listAll(mneme, { containerTag: load.tag });
  const byContent = Map.groupBy(listed, ({ content }) => content);
  const doubled = [...byContent.values()].filter((same) => same.length > 1);
  expect(doubled).toEqual([]);
  const customIds = listed.flatMap(({ customId }) => (customId === null ? [] : [customId]));
  expect(new Set(customIds).size).toBe(customIds.length);

  const wrong = load.sent.flatMap((document) => {
    const stored = byContent.get(document.content)?.[0];
    const problem = contradiction(document, stored);
    return problem === null ? [] : [{ problem, document: { ...document, content: wordOf(document) }, stored }];
  });
  expect(wrong).toEqual([]);
  const known = new Set(load.sent.map(({ content }) => content));
  expect(listed.filter(({ content }) => !known.has(content))).toEqual([]);
  expect(listed.filter(({ status }) => status !== 'done')).toEqual([]);
}

function contradiction({ id, customId, deletion }: SentDocument, stored: ListItem | undefined): string | null {
  if (deletion === 'acknowledged') return stored === undefined ? null : 'came back';
  if (deletion === 'sent') return null;
  if (stored === undefined) return id === null ? null : 'lost';
  if (id !== null && stored.id !== id) return 'under another id';
  return stored.customId === customId ? null : 'with another customId';
}

async function expectDeleted(mneme: Mneme, deleted: readonly SentDocument[]): Promise<void> {
  await inParallel(deleted, 8, async (document) => {
    const word = wordOf(document);
    expect((await mneme.get(`/v3/documents/${document.id}`)).status).toBe(404);
    for (const path of ['/v3/search', '/v4/search']) {
      const { body } = await mneme.post(path, { q: word, threshold: 0, limit: 5 });
      expect(JSON.stringify(body)).not.toContain(word);
    }
  });
}

test('after eight SIGKILLs under load, acknowledged writes survive and the views match the log', async () => {
  const folder = await newFolder();
  const random = seeded(20_26);
  const load = new Load('load', random);
  for (let round = 1; round <= 8; round += 1) {
    const mneme = await start({ folder });
    const gone = load.sent.filter(({ deletion }) => deletion === 'acknowledged');
    await expectDeleted(mneme, gone.slice(-5));
    const acknowledged = 1 + Math.floor(random() * 120);
    let killed: Promise<unknown> = Promise.resolve();
    await load.run(mneme, 8, {
      acknowledged,
      call: () => {
        killed = mneme.kill('SIGKILL');
      },
    });
    await killed;
  }
  expect(load.unexpected).toEqual([]);

  const mneme = await start({ folder });
  await expectAcknowledgedState(mneme, load);
  const deleted = load.sent.filter(({ deletion }) => deletion === 'acknowledged');
  expect(deleted.length).toBeGreaterThan(20);
  await expectDeleted(mneme, deleted);

  const words = [
    'plain sentence',
    'lives here',
    '*',
    ...load.sent
      .slice(0, 60)
      .filter((_, i) => i % 6 === 0)
      .map(wordOf),
  ];
  const before = await answers(mneme, words, load.tag);
  await mneme.kill('SIGTERM');
  await removeDatabase(folder, 'views.db');
  const again = await start({ folder });
  await rebuilt(again);
  expect(await answers(again, words, load.tag)).toEqual(before);
});

test('SIGTERM under load shuts down cleanly and loses no acknowledged write', async () => {
  const folder = await newFolder();
  const load = new Load('orderly', seeded(7));
  for (const acknowledged of [40, 150]) {
    const mneme = await start({ folder });
    let code: Promise<number | null> = Promise.resolve(null);
    await load.run(mneme, 8, {
      acknowledged,
      call: () => {
        code = mneme.kill('SIGTERM');
      },
    });
    expect(await code).toBe(0);
  }
  expect(load.unexpected.filter(({ status }) => status !== 503)).toEqual([]);
  await expectAcknowledgedState(await start({ folder }), load);
});

describe('on a full disk', () => {
  const body = (i: number) => ({
    content: `Entry ${i} about wallabies. ${'It says little of note, at length. '.repeat(i % 5 === 4 ? 3_000 : 300)}`,
    customId: `entry ${i}`,
    containerTag: 'full',
  });

  /** Adds documents until one is refused. */
  async function fillUp(mneme: Mneme): Promise<{ ids: string[]; refusal: Answer }> {
    const ids: string[] = [];
    for (let i = 0; ; i += 1) {
      const answer = await mneme.post('/v3/documents', body(i));
      if (answer.status !== 200) return { ids, refusal: answer };
      ids.push(answer.body.id as string);
    }
  }

  function expectUnavailable({ status, body: { code, message }, headers }: Answer): void {
    expect({ status, code, message }).toEqual({ status: 503, code: 'unavailable', message: expect.any(String) });
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
  }

  async function addFile(mneme: Mneme): Promise<Answer> {
    const form = new FormData();
    form.append('file', new Blob(['A file of wallabies. '.repeat(20_000)]), 'w.txt');
    return mneme.post('/v3/documents/file', form);
  }

  async function expectReadable(mneme: Mneme, ids: readonly string[]): Promise<void> {
    for (const [i, id] of ids.entries()) {
      const { status, body: document } = await mneme.get(`/v3/documents/${id}`);
      expect(status).toBe(200);
      expect(document.content === body(i).content).toBe(true);
    }
    for (const path of ['/v3/documents/list', '/v3/search', '/v4/search', '/v4/profile']) {
      expect((await mneme.post(path, { q: 'wallabies', containerTag: 'full' })).status).toBe(200);
    }
    expect((await mneme.get('/v3/documents/processing')).status).toBe(200);
    expect((await mneme.get('/v3/health')).status).toBe(200);
  }

  const added = (mneme: Mneme, fields: object) =>
    eventually(async () => {
      const answer = await mneme.post('/v3/documents', fields);
      if (answer.status === 503) return null;
      expect(answer.status).toBe(200);
      return answer.body.id as string;
    });

  async function expectAllDone(mneme: Mneme, ids: readonly string[], gone: readonly string[]): Promise<void> {
    await rebuilt(mneme);
    for (const id of ids.filter((one) => !gone.includes(one))) expect((await mneme.settled(id)).status).toBe('done');
    const listed = await listAll(mneme, { containerTag: 'full' });
    expect(listed.map(({ id }) => id).sort()).toEqual(ids.filter((one) => !gone.includes(one)).sort());
    for (const id of gone) expect((await mneme.get(`/v3/documents/${id}`)).status).toBe(404);
  }

  test.each([
    ['with space reserved for deletions', { kept: 8, left: 14 }],
    ['without a free byte', { kept: 0, left: 12 }],
  ])('%s, adds return 503, reads and deletions succeed, and no document is lost', async (_, { kept, left }) => {
    const disk = await SmallDisk.mount(48);
    if (disk === null) return;
    disks.push(disk);
    const folder = join(disk.folder, 'data');
    const env = { MNEME_MIN_FREE_MB: String(kept) };
    const mneme = await start({ folder, env });
    await mneme.addAndWait('A first document, with enough space.');
    disk.fill(left);
    const { ids, refusal } = await fillUp(mneme);
    expectUnavailable(refusal);
    expect(ids.length).toBeGreaterThan(3);
    // Work in the background may free some space before the request needs it.
    const refused = (send: () => Promise<Answer>) =>
      eventually(async () => {
        if (kept === 0) disk.fill(0);
        const answer = await send();
        return kept === 0 && answer.status === 200 ? null : answer;
      });
    for (let i = 0; i < 5; i += 1) {
      expectUnavailable(await refused(() => mneme.post('/v3/documents', { content: 'x'.repeat(200_000) })));
    }
    expectUnavailable(await refused(() => addFile(mneme)));
    await expectReadable(mneme, ids);

    const gone = ids.filter((_id, i) => i % 4 === 1);
    await inParallel(gone, 8, async (id) => {
      expect((await mneme.request('DELETE', `/v3/documents/${id}`)).status).toBe(204);
      expect((await mneme.get(`/v3/documents/${id}`)).status).toBe(404);
    });
    for (const searchMode of ['memories', 'documents', 'hybrid']) {
      const query = { q: 'wallabies', threshold: 0, searchMode, limit: 100 };
      const found = JSON.stringify((await mneme.post('/v4/search', query)).body);
      expect(gone.filter((id) => found.includes(id))).toEqual([]);
    }
    expect(mneme.running).toBe(true);

    disk.free();
    const late = await added(mneme, { content: 'Added after space was freed.', containerTag: 'full' });
    await expectAllDone(mneme, [...ids, late], gone);
    // In order, or given up after its time limit on a busy machine: not a crash.
    expect([0, null]).toContain(await mneme.kill('SIGTERM'));
    const again = await start({ folder, env });
    await expectAllDone(again, [...ids, late], gone);
  });
});

describe('after a deletion', () => {
  const MARK = 'xyzzyquill';

  /** Returns the files that contain the word, in any case, as UTF-8 or UTF-16. */
  async function filesWith(folder: string, word: string): Promise<string[]> {
    const entries = await readdir(folder, { recursive: true, withFileTypes: true });
    const found: string[] = [];
    for (const entry of entries.filter((one) => one.isFile())) {
      const path = join(entry.parentPath, entry.name);
      const bytes = await readFile(path).catch(() => Buffer.alloc(0));
      const text = bytes.toString('latin1').toLowerCase();
      const wide = Buffer.from(word, 'utf16le').toString('latin1');
      if (text.includes(word) || text.includes(wide)) found.push(path.slice(folder.length + 1));
    }
    return found;
  }

  test('no file contains a word of the deleted documents, after many other adds, changes and deletions', async () => {
    const mneme = await start({ folder: await newFolder() });
    const random = seeded(4);
    const sizes = [5, 10, 40, 100, 300, 800, 2_500, 12_000];
    const filler = () =>
      Array.from({ length: 1 + Math.floor(random() * (sizes[Math.floor(random() * sizes.length)] as number)) }, () =>
        Math.floor(random() * 1e6).toString(36),
      ).join(' ');
    const other = (i: number) => ({
      content: filler(),
      containerTag: `tag ${i % 5}`,
      ...(i % 3 === 0 && { customId: `other ${i}` }),
      ...(i % 2 === 0 && { metadata: { a: filler().slice(0, 200), i } }),
      ...(i % 4 === 0 && { filepath: `/other/${i}` }),
    });
    const marked = (i: number) => {
      const word = `${MARK}${i}`;
      return {
        content: `# On ${word}\n\n${filler()} ${word}. ${filler()}\n\n${word.toUpperCase()}: I am ${word}!\nBo: Hello ${word}.`,
        containerTag: `tag ${i % 7}`,
        customId: `id of ${word}`,
        filepath: `/${word}/${i}.md`,
        metadata: { [`key ${word}`]: i, note: `Some ${word}`, Upper: word.toUpperCase() },
      };
    };
    const add = async (fields: object, headers = {}) => {
      const { status, body } = await mneme.post('/v3/documents', fields, headers);
      expect(status).toBe(200);
      return body.id as string;
    };

    const victims: string[] = [];
    await inParallel(
      Array.from({ length: 180 }, (_, i) => i),
      16,
      async (i) => {
        if (i % 3 !== 1) await add(other(i));
        else victims.push(await add(marked(i), i % 2 === 0 ? { 'idempotency-key': `${MARK}-${i}` } : {}));
      },
    );
    const form = new FormData();
    form.append('file', new Blob([`A file with ${MARK}. ${filler()}`]), `${MARK}.md`);
    form.append('metadata', JSON.stringify({ [MARK]: MARK }));
    victims.push((await mneme.post('/v3/documents/file', form)).body.id as string);
    await processed(mneme);
    // A change writes new payloads, units and rows; the old and new ones must be erased.
    await inParallel(
      Array.from({ length: 30 }, (_, i) => 3 * i + 1),
      8,
      async (i) => {
        const { customId } = marked(i);
        await add({
          customId,
          content: `More ${MARK}: ${filler()}`,
          metadata: { again: `${MARK} ${i}` },
        });
      },
    );
    // Some documents are deleted during processing.
    const interrupted = await Promise.all(
      Array.from({ length: 10 }, (_, i) => add({ ...marked(1_000 + i), containerTag: 'tag 1' })),
    );
    const order = [...victims, ...interrupted].map((id) => ({ id, at: random() })).sort((a, b) => a.at - b.at);
    const half = Math.floor(order.length / 2);
    for (const part of [order.slice(0, half), order.slice(half)]) {
      await inParallel(part, 8, async ({ id }) => {
        expect((await mneme.request('DELETE', `/v3/documents/${id}`)).status).toBe(204);
      });
      await inParallel(
        Array.from({ length: 20 }, (_, i) => 5_000 + i),
        8,
        async (i) => void (await add(other(i))),
      );
    }

    let left: string[] = [];
    await eventually(async () => {
      left = await filesWith(mneme.folder, MARK);
      return left.length === 0 ? true : null;
    }, 60_000).catch(() => undefined);
    expect(left).toEqual([]);
    await processed(mneme);
    await mneme.kill('SIGTERM');
    expect(await filesWith(mneme.folder, MARK)).toEqual([]);
  });
});

describe('a data folder', () => {
  const QUERIES = ['ferry', 'Where does Bo live?', 'noon', '*'];
  let pristine: string;
  let before: unknown[];

  beforeAll(async () => {
    pristine = await mkdtemp(join(tmpdir(), 'mneme-faults-'));
    const mneme = await Mneme.start({ folder: pristine });
    try {
      await fill(mneme);
      before = await answers(mneme, QUERIES);
    } finally {
      await mneme.kill('SIGTERM');
    }
  });

  afterAll(() => rm(pristine, { recursive: true, force: true }));

  async function fill(mneme: Mneme): Promise<void> {
    await inParallel(
      Array.from({ length: 60 }, (_, i) => i),
      8,
      async (i) => {
        await mneme.addAndWait(
          `# Ferry ${i}\n\nThe ferry leaves at noon on day ${i}. ${'Waves and wind. '.repeat(i * 5)}\n\nAda: Where do you live?\nBo: In Oslo, house ${i}.`,
          {
            containerTag: `home ${i % 3}`,
            customId: i % 2 === 0 ? `c${i}` : undefined,
            metadata: { i, even: i % 2 === 0 },
          },
        );
      },
    );
    await inParallel([4, 8, 12], 3, async (i) => {
      expect((await mneme.request('DELETE', `/v3/documents/c${i}`)).status).toBe(204);
    });
    await mneme.add('And one more line about the ferry.', { customId: 'c2', metadata: { i: 2, changed: true } });
    await processed(mneme);
  }

  async function copied(): Promise<string> {
    const folder = await newFolder();
    await cp(pristine, folder, { recursive: true });
    return folder;
  }

  async function expectSameAnswers(folder: string): Promise<void> {
    const mneme = await start({ folder });
    await rebuilt(mneme);
    expect(await answers(mneme, QUERIES)).toEqual(before);
    await mneme.addAndWait('And it goes on.', { containerTag: 'on' });
  }

  test('without views gives the same responses after a rebuild', async () => {
    const folder = await copied();
    await removeDatabase(folder, 'views.db');
    await expectSameAnswers(folder);
  });

  test.each<[string, (file: number, size: number) => void]>([
    ['in the schema', (file) => void writeSync(file, randomFillSync(Buffer.alloc(8_000)), 0, 8_000, 104)],
    [
      'in half of the pages',
      (file, size) => {
        for (let at = 2 * 8_192; at < size; at += 2 * 8_192)
          writeSync(file, randomFillSync(Buffer.alloc(4_096)), 0, 4_096, at);
      },
    ],
    ['by an extended file', (file, size) => void writeSync(file, Buffer.alloc(1), 0, 1, size + 5_000)],
  ])('with views damaged %s rebuilds them', async (_, damage) => {
    const folder = await copied();
    const path = join(folder, 'views.db');
    const file = openSync(path, 'r+');
    damage(file, statSync(path).size);
    closeSync(file);
    await expectSameAnswers(folder);
  });

  test('with lost vectors embeds its texts again', async () => {
    const model = await findTestModel();
    if ('missing' in model) return;
    const folder = await newFolder();
    await cp(modelFolder(model.dataFolder), modelFolder(folder), { recursive: true });
    const env = { MNEME_EMBEDDING: 'local' };
    const similarities = async (mneme: Mneme) => {
      const { body } = await mneme.post('/v4/search', {
        q: 'At what time does the boat depart?',
        threshold: 0,
        limit: 5,
      });
      return (body.results as { memory: string; similarity: number }[]).map(({ memory, similarity }) => ({
        memory,
        similarity,
      }));
    };
    const ready = (mneme: Mneme) =>
      eventually(async () => {
        const { body } = await mneme.get('/v3/health');
        return (body.search as { vectors: boolean }).vectors ? true : null;
      });

    const first = await start({ folder, env });
    await ready(first);
    await first.addAndWait('The ferry leaves at noon.');
    await first.addAndWait('My aunt keeps bees.');
    const before = await similarities(first);
    expect(before[0]?.memory).toBe('The ferry leaves at noon.');
    await first.kill('SIGTERM');

    await removeDatabase(folder, 'vectors.db');
    const second = await start({ folder, env });
    await ready(second);
    expect(await similarities(second)).toEqual(before);
    await second.kill('SIGTERM');

    for (const name of ['vectors.db', 'views.db']) await removeDatabase(folder, name);
    const third = await start({ folder, env });
    await ready(third);
    const same = JSON.stringify(before);
    await eventually(async () => (JSON.stringify(await similarities(third)) === same ? true : null));
    for (const { status } of await listAll(third)) expect(status).toBe('done');
  });

  test('in use rejects a second server', async () => {
    const folder = await newFolder();
    const mneme = await start({ folder });
    await expect(start({ folder })).rejects.toThrow(/exited with code 1:\n(.*\n)*Mneme cannot start: .*in use/);
    await mneme.addAndWait('The first one is not disturbed.');
  });
});

test('an unknown setting prevents the start and is named', async () => {
  const folder = await newFolder();
  await expect(start({ folder, env: { MNEME_MAX_BACKLOGS: '5', MNEME_RATE_LIMIT: 'lots' } })).rejects.toThrow(
    /exited with code 1:\nMneme cannot start: MNEME_MAX_BACKLOGS is not a setting of Mneme\. Did you mean MNEME_MAX_BACKLOG\?\nMNEME_RATE_LIMIT must be/,
  );
});

test('adds beyond the backlog limit return 503 and succeed later', async () => {
  const mneme = await start({ folder: await newFolder(), env: { MNEME_MAX_BACKLOG: '5' } });
  const text = 'A sentence that has to be read, cut, counted and indexed. '.repeat(300);
  const refusals: Answer[] = [];
  const ids: string[] = [];
  const enough = () => refusals.length >= 20 && ids.length >= 30;
  const client = async (name: number): Promise<void> => {
    for (let i = 0; !enough(); i += 1) {
      const document = { content: `${name} ${i}: ${text}`, customId: `backlog ${name} ${i}` };
      const id = await eventually(async () => {
        const answer = await mneme.post('/v3/documents', document);
        if (answer.status === 200) return answer.body.id as string;
        refusals.push(answer);
        return null;
      });
      ids.push(id);
    }
  };
  await Promise.all(Array.from({ length: 24 }, (_, name) => client(name)));
  for (const { status, body, headers } of refusals) {
    expect({ status, body }).toMatchObject({ status: 503, body: { code: 'unavailable' } });
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
    expect(body.requestId).toBe(headers.get('x-request-id'));
  }
  await processed(mneme);
  const listed = await listAll(mneme);
  expect(listed.map(({ id }) => id).sort()).toEqual([...ids].sort());
  expect(listed.filter(({ status }) => status !== 'done')).toEqual([]);
});

async function removeDatabase(folder: string, name: string): Promise<void> {
  for (const end of ['', '-wal', '-shm']) await rm(join(folder, name + end), { force: true });
}
