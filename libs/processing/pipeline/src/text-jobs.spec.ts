import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { jest } from '@jest/globals';
import {
  DocumentTexts,
  type FileRef,
  type Live,
  MissingBlobError,
  type Pieces,
  type TextRef,
} from '#features/documents';
import { type Job, JobMemoryError, JobOutputError, JobSlowError, JobTimeoutError, Pool } from '#platform/child-jobs';
import { contentHash } from '#platform/kernel';
import { type BlobStore, DiskBlobStore } from '#ports/blobs';
import {
  CHUNK_TOKENS,
  chunk,
  EXTRACTION_VERSION,
  type ExtractionResources,
  extractDocument,
  formMemories,
  identitiesOf,
  MissingResourceError,
  type Passage,
  unitIdsWith,
} from '#processing/extraction';
import { extractedPayload } from './extracted-payload.ts';
import { PassageJobs } from './passage-jobs.ts';
import { TextJobs } from './text-jobs.ts';

const SENTENCE = 'The goats broke the fence on the eastern bank last night. ';
const LONG = `${SENTENCE.repeat(1_000)}\n\nThe zebra sings.`;

const RESOURCES: ExtractionResources = {
  ocr: { languages: ['eng'], folders: ['/weights'] },
  speech: { model: null, ffmpeg: '/usr/bin/ffmpeg' },
};
const resources = async () => RESOURCES;
const RUN = { caller: 'org key:1' };

/** Blobs that are no files of this machine. */
const elsewhere = (blobs: BlobStore): BlobStore =>
  new Proxy(blobs, {
    get: (target, name) => {
      if (name === 'filePath') return async () => null;
      const value = Reflect.get(target, name) as unknown;
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });

describe('TextJobs', () => {
  let folder: string;
  let disk: DiskBlobStore;
  let pool: Pool;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'mneme-text-jobs-'));
    disk = await DiskBlobStore.open(join(folder, 'blobs'));
    pool = new Pool({ folder: join(folder, 'scratch') });
  });
  afterAll(async () => {
    await pool.close();
    await rm(folder, { recursive: true });
  });

  const document = (more: Partial<Live>) =>
    ({
      organization: 'org',
      id: 'doc',
      type: 'text',
      documentDate: null,
      extracted: null,
      borders: [],
      extractedBorders: null,
      ...more,
    }) as Live;
  const uploaded = async (bytes: Uint8Array, file: Partial<FileRef>) => {
    await disk.put('org/doc/upload.file', bytes);
    return document({
      content: {
        file: {
          blob: 'org/doc/upload.file',
          bytes: bytes.length,
          name: 'file',
          contentType: null,
          fileType: null,
          mimeType: null,
          ...file,
        },
      },
    });
  };
  const sent = (...parts: TextRef[]) => document({ content: { parts } });

  describe.each([
    ['blobs that are files', (blobs: BlobStore) => blobs],
    ['blobs that are elsewhere', elsewhere],
  ])('with %s', (_name, place) => {
    let jobs: TextJobs;
    let passageJobs: PassageJobs;
    let texts: DocumentTexts;
    beforeAll(() => {
      const blobs = place(disk);
      texts = new DocumentTexts(blobs);
      const options = { pool, slowPool: pool, texts, blobs, resources };
      jobs = new TextJobs(options);
      passageJobs = new PassageJobs(options);
    });
    const outcomeOf = async (live: Live) => {
      const source = await jobs.sourceOf(live);
      return 'job' in source ? jobs.extract(live, source.job, RUN) : source;
    };
    const extract = async (live: Live) => {
      const outcome = await outcomeOf(live);
      if (!('payload' in outcome)) throw new Error('no job reads it');
      return outcome;
    };
    const textOf = async (ref: TextRef | null) => ref && (await texts.read(ref));

    it('reads a short file', async () => {
      const page = '<html><head><title>Goats</title></head><body><h1>Fence</h1><p>It broke.</p></body></html>';
      const { payload, characters } = await extract(await uploaded(Buffer.from(page), { name: 'page.html' }));
      expect(payload).toEqual({
        text: { inline: '# Fence\n\nIt broke.' },
        title: 'page.html',
        type: 'text',
        reader: EXTRACTION_VERSION,
        encoding: 'utf-8',
      });
      expect(characters).toBe(18);
    });

    it('reads the front matter of a file and of a text, and keeps it when a text is added to the file', async () => {
      const note = '---\ntags: [goat]\n---\nIt broke.';
      const frontMatter = { tags: ['goat'] };
      const file = await uploaded(Buffer.from(note), { name: 'goats.md' });
      const { payload } = await extract(file);
      expect(payload).toMatchObject({ text: { inline: note }, title: 'goats.md', frontMatter });
      expect((await extract(sent({ inline: note }))).payload).toMatchObject({ text: null, frontMatter });
      const content = { ...file.content, parts: [{ inline: note }, { inline: '\nMore.' }], isRead: true };
      const grown = { ...file, title: 'goats.md', frontMatter, content, extracted: null } as Live;
      const found = {
        text: null,
        type: 'text',
        title: null,
        language: null,
        author: null,
        canonicalUrl: null,
      } as const;
      const more = { date: null, encoding: null, frontMatter: null, sections: [], borders: [] } as const;
      expect(await extractedPayload(grown, { ...found, ...more }, texts)).toMatchObject({ frontMatter });
    });

    it('reads a long file as it is read in place, and stores it under the hash of its text', async () => {
      const bytes = Buffer.from(LONG.replaceAll('. ', '.\r\n'));
      const { payload, characters } = await extract(await uploaded(bytes, { name: 'notes.txt' }));
      const read = await extractDocument({ body: bytes, kind: 'text', fileName: 'notes.txt', documentDate: null });
      expect(payload.text).toEqual({ blob: `org/doc/${contentHash(read.text)}.utf8`, length: read.text.length });
      expect(await textOf(payload.text)).toBe(read.text);
      expect(characters).toBe(read.text.length);
      expect(payload).toMatchObject({ title: read.title, type: 'text' });
    });

    it('keeps a long text that is its own extracted text', async () => {
      const { payload, characters } = await extract(sent(await texts.store('org', 'doc', LONG)));
      expect(payload.text).toBeNull();
      expect(characters).toBe(LONG.length);
    });

    it('joins the parts of a text, whatever they are written in', async () => {
      const parts = ['\ud83d', `\ude00 ${LONG}`, ' The end.'];
      const refs = await Promise.all(parts.map((part) => texts.store('org', 'doc', part)));
      const { payload } = await extract(sent(...refs));
      expect(payload.text).toBeNull();
      const wellFormed = await extract(sent(refs[2]!, await texts.store('org', 'doc', LONG), { inline: '\r\n' }));
      expect(await textOf(wellFormed.payload.text)).toBe(` The end.${LONG}\n`);
    });

    it('reads markup that a caller sent', async () => {
      const { payload } = await extract(sent({ inline: '<p>It <b>broke</b>.</p>' }));
      expect(payload.text).toEqual({ inline: 'It broke.' });
    });

    describe('formPieces()', () => {
      const KEY = '000102030405060708090a0b0c0d0e0f';
      // Equal passages, and characters of more than one byte and of more than one code unit.
      const VERY_LONG = Array.from(
        { length: 12_000 },
        (_, i) => `Ingrid: Goat ${i % 7_000} 🐐 ate the café's fence.`,
      ).join('\n');
      const idsOf = (kind: 'chunk' | 'memory', text: string, passages: readonly Passage[]) => {
        const identities = identitiesOf(
          kind,
          passages.map(({ start, end }) => text.slice(start, end)),
        );
        return Array.from(identities, unitIdsWith(KEY));
      };
      const veryLong = async (more: Partial<Live> = {}) => {
        const extracted = await texts.store('org', 'doc', VERY_LONG);
        const details = { extracted, unitKey: KEY, taskType: 'memory', ...more };
        return document(details as Partial<Live>);
      };

      it('gives the passages of a very long text the ids that they get in place', async () => {
        const [chunks, memories] = [chunk(VERY_LONG), formMemories(VERY_LONG)];
        const pieces = (await passageJobs.formPieces(await veryLong(), CHUNK_TOKENS, RUN)) as Pieces;
        const [chunkIds, memoryIds] = [idsOf('chunk', VERY_LONG, chunks), idsOf('memory', VERY_LONG, memories)];
        expect(await texts.readList(pieces.chunks)).toEqual(
          chunks.map(({ start, end }, i) => [chunkIds[i], start, end]),
        );
        expect(await texts.readList(pieces.memories)).toEqual(
          memories.map(({ start, end, speaker }, i) => [memoryIds[i], start, end, speaker]),
        );
        const sizes = { chunks: chunks.length, memories: memories.length };
        expect(pieces).toMatchObject({ unitKey: KEY, sizes, memories: { length: memories.length } });
        const stored = await texts.storeList('org', 'doc', await texts.readList(pieces.memories));
        expect(pieces.memories).toEqual(stored);
      });

      it('makes a key, and no memories where none are wanted', async () => {
        const pieces = await passageJobs.formPieces(
          await veryLong({ unitKey: null, taskType: 'superrag' }),
          CHUNK_TOKENS,
          RUN,
        );
        expect(pieces?.unitKey).toMatch(/^[0-9a-f]{32}$/);
        expect(pieces?.memories).toEqual({ inline: [] });
      });

      it('leaves other texts to be formed in place', async () => {
        expect(
          await passageJobs.formPieces(
            await veryLong({ extracted: await texts.store('org', 'doc', LONG) }),
            CHUNK_TOKENS,
            RUN,
          ),
        ).toBeNull();
        expect(await passageJobs.formPieces(await veryLong({ extracted: null }), CHUNK_TOKENS, RUN)).toBeNull();
      });
    });

    it('finds the same passages of a long text as in place', async () => {
      const live = document({ extracted: await texts.store('org', 'doc', LONG) });
      expect(await passageJobs.split(live, CHUNK_TOKENS, RUN)).toEqual({
        chunks: chunk(LONG),
        memories: formMemories(LONG),
      });
      expect(await passageJobs.split(document({ extracted: { inline: SENTENCE } }), CHUNK_TOKENS, RUN)).toEqual({
        chunks: chunk(SENTENCE),
        memories: formMemories(SENTENCE),
      });
      expect(await passageJobs.split(document({}), CHUNK_TOKENS, RUN)).toBeNull();
    });

    it('keeps the rows of a file, also of one that a text is added to', async () => {
      const rows = Array.from({ length: 3_000 }, (_, i) => `person ${i + 2},Oslo`);
      const uploadedRows = await uploaded(Buffer.from(`name,city\n${rows.join('\n')}`), { name: 'people.csv' });
      const { payload } = await extract(uploadedRows);
      const extracted = payload.text as TextRef;
      const sections = payload.sections ?? null;
      const rowOf = async (live: Live, name: string) => {
        const passages = await passageJobs.split(live, CHUNK_TOKENS, RUN);
        const text = (
          await Promise.all(
            ('parts' in live.content ? live.content.parts : [extracted]).map((part) => texts.read(part)),
          )
        ).join('');
        return passages?.memories.find(({ start, end }) => text.slice(start, end).includes(name))?.location;
      };
      const read = { ...uploadedRows, extracted, sections } as Live;
      expect(await rowOf(read, 'name: person 2;')).toEqual({ row: 2 });
      expect(await rowOf(read, 'name: person 3001;')).toEqual({ row: 3_001 });
      const parts = [extracted, { inline: '\n\n- a note about nobody' }];
      const file = 'file' in uploadedRows.content ? uploadedRows.content.file : null;
      const grown = { ...read, extracted: 'content', content: { file, parts, isRead: true } } as Live;
      expect(await rowOf(grown, 'name: person 3001;')).toEqual({ row: 3_001 });
      expect(await rowOf(grown, 'a note about nobody')).toBeUndefined();
    });

    it('refuses what cannot be read, with its type', async () => {
      const code = 'unsupported_type';
      const message = expect.stringContaining('The file is binary and of no known kind. Convert it');
      const image = await uploaded(Buffer.concat([Buffer.from('\0\0\0\x18ftypheic', 'latin1'), Buffer.from(LONG)]), {});
      expect(await jobs.sourceOf(image)).toMatchObject({ refused: { code, type: 'image' } });
      const binary = await uploaded(Uint8Array.of(65, 0), {});
      expect(await jobs.sourceOf(binary)).toEqual({ refused: { code, message, type: 'text' } });
      const deep = Buffer.alloc(100_000, 'a');
      deep[99_999] = 0;
      expect(await outcomeOf(await uploaded(deep, {}))).toEqual({ refused: { code, message, type: 'text' } });
    });

    it('fetches a page, takes a text that is one URL as it is, and refuses a URL that is too long', async () => {
      const url = 'https://example.com/page';
      const page = { ...sent({ inline: '' }), content: { page: ` ${url}\n` } };
      expect(await jobs.sourceOf(page)).toEqual({ page: url });
      expect(await outcomeOf(sent({ inline: url }))).not.toHaveProperty('refused');
      const message = expect.stringContaining('longer than 5000 characters');
      const long = await texts.store('org', 'doc', url.padEnd(40_000, 'x'));
      expect(await outcomeOf(sent(long))).toMatchObject({ refused: { code: 'fetch_refused', message, type: 'text' } });
      expect(await outcomeOf(sent({ inline: url.padEnd(5_001, 'x') }))).toMatchObject({ refused: { message } });
    });

    it('fails for a source without text as the extraction does', async () => {
      await expect(extract(await uploaded(Buffer.from(' \n '), {}))).rejects.toMatchObject({
        name: 'ExtractionError',
        code: 'extraction_failed',
        message: 'The source holds no text. Send a file or text with words in it.',
      });
    });

    it('says that a blob is missing before a job is made, and after', async () => {
      const live = await uploaded(Buffer.from(LONG), {});
      const text = sent(await texts.store('org', 'doc', LONG));
      const sources = [await jobs.sourceOf(live), await jobs.sourceOf(text)];
      await disk.deletePrefix('org/doc/');
      for (const source of sources) {
        await expect('job' in source && jobs.extract(live, source.job, RUN)).rejects.toThrow(MissingBlobError);
      }
      await expect(jobs.sourceOf(live)).rejects.toThrow(MissingBlobError);
      await expect(jobs.sourceOf(text)).rejects.toThrow(MissingBlobError);
      await expect(
        passageJobs.split(document({ extracted: { blob: 'org/doc/a.utf8', length: LONG.length } }), CHUNK_TOKENS, RUN),
      ).rejects.toThrow(MissingBlobError);
    });
  });

  it.each([
    [new JobMemoryError('too much memory'), { code: 'extraction_too_large', kind: 'permanent' }],
    [new JobOutputError('too much text'), { code: 'extraction_too_large', kind: 'permanent' }],
    [new JobTimeoutError('too long'), { code: 'extraction_timeout', kind: 'permanent' }],
  ])('reports an exceeded limit as %p', async (error, expected) => {
    const failing = { run: () => Promise.reject(error) } as unknown as Pool;
    const jobs = new TextJobs({
      pool: failing,
      slowPool: failing,
      texts: new DocumentTexts(disk),
      blobs: disk,
      resources,
    });
    const live = await uploaded(Buffer.from(SENTENCE), {});
    const source = await jobs.sourceOf(live);
    await expect('job' in source && jobs.extract(live, source.job, RUN)).rejects.toMatchObject({
      ...expected,
      message: expect.stringContaining(`${error.message}. Split the file`),
    });
  });

  it('reads recordings, uploaded or fetched, in processes of their own, which take longer than others may', async () => {
    const fast: Job[] = [];
    const slow: Job[] = [];
    const noting = (given: Job[]) => ({
      run: (job: Job) => {
        given.push(job);
        return Promise.reject(new JobTimeoutError('too long'));
      },
    });
    const pools = { pool: noting(fast), slowPool: noting(slow) };
    const jobs = new TextJobs({ ...pools, texts: new DocumentTexts(disk), blobs: disk, resources });
    const sound = Buffer.from('RIFF\0\0\0\0WAVEfmt ', 'latin1');
    for (const content of [sound, Buffer.from(SENTENCE)]) {
      const live = await uploaded(content, { name: 'a.txt' });
      const source = await jobs.sourceOf(live);
      await expect('job' in source && jobs.extract(live, source.job, RUN)).rejects.toThrow('too long');
      const path = join(folder, 'fetched');
      await writeFile(path, content);
      const page = { contentType: 'text/plain', url: 'https://example.org/a', fileName: null, site: null };
      const fetched = jobs.extractPage(live, { path, bytes: content.length, ...page }, RUN);
      await expect(fetched).rejects.toThrow('too long');
      // Where others wait, a recording is not begun.
      if (content !== sound || !('job' in source)) continue;
      const brief = { ...RUN, isBrief: true };
      const page2 = { path, bytes: content.length, ...page };
      expect(await jobs.extract(live, source.job, brief)).toEqual({ long: 'transcribe' });
      expect(await jobs.extractPage(live, page2, brief)).toEqual({ long: 'transcribe' });
    }
    const tasks = (given: readonly Job[]) => given.map(({ params }) => (params as { task: string }).task);
    expect([tasks(fast), tasks(slow)]).toEqual([
      ['extract-file', 'extract-page'],
      ['extract-file', 'extract-page'],
    ]);
    const times = (given: readonly Job[]) => given.map(({ limits }) => limits?.ms ?? 0);
    expect(Math.min(...times(slow))).toBeGreaterThan(3_600_000);
    expect(Math.max(...times(fast))).toBeLessThanOrEqual(120_000);
  });

  it('gives a job that reads a file what this machine has', async () => {
    const given: Job[] = [];
    const watching = {
      run: (job: Job) => {
        given.push(job);
        return Promise.reject(new JobTimeoutError('too long'));
      },
    };
    const pools = { pool: watching, slowPool: watching };
    const options = { ...pools, texts: new DocumentTexts(disk), blobs: disk, resources };
    const jobs = new TextJobs(options);
    const passageJobs = new PassageJobs(options);
    const live = await uploaded(Buffer.from(SENTENCE), {});
    const source = await jobs.sourceOf(live);
    await expect('job' in source && jobs.extract(live, source.job, RUN)).rejects.toThrow('too long');
    const long = document({ extracted: { blob: 'org/doc/upload.file', length: LONG.length } });
    await expect(passageJobs.split(long, CHUNK_TOKENS, RUN)).rejects.toThrow('too long');
    expect(given.map(({ params }) => (params as { resources?: unknown }).resources)).toEqual([RESOURCES, undefined]);
  });

  describe('that is short and takes long', () => {
    const jobsOf = () => {
      const given: Job[] = [];
      const run = (job: Job) => {
        given.push(job);
        return Promise.reject(given.length === 1 ? new JobSlowError('slow') : new JobTimeoutError('too long'));
      };
      const options = { pool: { run }, slowPool: { run }, texts: new DocumentTexts(disk), blobs: disk, resources };
      return { given, options };
    };

    it('is left to the queue for long work', async () => {
      const { given, options } = jobsOf();
      const jobs = new TextJobs(options);
      const live = await uploaded(Buffer.from(SENTENCE), {});
      const source = await jobs.sourceOf(live);
      const job = 'job' in source ? source.job : null;
      expect(await jobs.extract(live, job!, { ...RUN, isBrief: true })).toEqual({ long: 'recognize' });
      expect(given).toMatchObject([{ bytes: SENTENCE.length, turn: 'org key:1' }]);
      // There it is a long one from its beginning.
      await expect(jobs.extract(live, job!, RUN)).rejects.toThrow('too long');
      expect(given.at(-1)).toMatchObject({ bytes: Number.POSITIVE_INFINITY });
    });

    it('is run again as a long one where the passages of a text are found', async () => {
      const { given, options } = jobsOf();
      const long = document({ extracted: { blob: 'org/doc/upload.file', length: LONG.length } });
      await uploaded(Buffer.from(LONG), {});
      await expect(new PassageJobs(options).split(long, CHUNK_TOKENS, RUN)).rejects.toThrow('too long');
      expect(given.map(({ bytes }) => bytes)).toEqual([LONG.length, Number.POSITIVE_INFINITY]);
    });
  });

  describe('that lacks a resource', () => {
    const lacking = new MissingResourceError('ocr-deu');
    const run = async (obtain: (name: string) => Promise<boolean>) => {
      const runs = jest.fn(() =>
        Promise.reject(runs.mock.calls.length === 1 ? lacking : new JobTimeoutError('second run')),
      );
      const pools = { pool: { run: runs }, slowPool: { run: runs } };
      const jobs = new TextJobs({ ...pools, texts: new DocumentTexts(disk), blobs: disk, resources, obtain });
      const live = await uploaded(Buffer.from(SENTENCE), {});
      const source = await jobs.sourceOf(live);
      if (!('job' in source)) throw new Error('no job reads it');
      return { runs, end: await jobs.extract(live, source.job, RUN).catch((error: Error) => error) };
    };

    it('is repeated once this was obtained', async () => {
      const obtain = jest.fn(async () => true);
      const { runs, end } = await run(obtain);
      expect(obtain.mock.calls).toEqual([['ocr-deu']]);
      expect(runs).toHaveBeenCalledTimes(2);
      expect(end).toMatchObject({ code: 'extraction_timeout' });
    });

    it('ends with its error if no source has this', async () => {
      const { runs, end } = await run(async () => false);
      expect(runs).toHaveBeenCalledTimes(1);
      expect(end).toBe(lacking);
    });
  });

  it('leaves no temporary files', async () => {
    const found = await readdir(join(folder, 'scratch'), { recursive: true, withFileTypes: true });
    expect(found.filter((entry) => entry.isFile())).toEqual([]);
  });
});
