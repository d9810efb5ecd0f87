import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { KeptReadings, type Live } from '#features/documents';
import { ChildEndedError, type Job, JobTimeoutError } from '#platform/child-jobs';
import type { Json } from '#platform/kernel';
import { DiskBlobStore } from '#ports/blobs';
import { type ExtractionResources, NO_RESOURCES } from '#processing/extraction';
import { until } from '../../../platform/kernel/src/testing/eventually.ts';
import { type ExtractionJob, ExtractionJobs } from './extraction-jobs.ts';
import { LongReading } from './long-reading.ts';

const DOCUMENT = { status: 'live', organization: 'org', id: 'doc', contentVersion: 1 } as Live;
const SOURCE = 'org/doc/scan.file';

let folder: string;
let blobs: DiskBlobStore;
let readings: KeptReadings;
/** Names of the pictures that were recognized, in order. */
let recognized: string[];
/** Ends the child behind so many reports of a job. Null: it does its work. */
let endsBehind: ((job: Job) => number | null) | null;
/** Version of the content. */
let present: number;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mneme-long-reading-'));
  blobs = await DiskBlobStore.open(folder);
  readings = new KeptReadings(blobs);
  recognized = [];
  endsBehind = null;
  present = 1;
});
afterEach(() => rm(folder, { recursive: true }));

/** Reads pictures as a child does. */
const pool = {
  run: async (job: Job, use: (result: { answer: Json; output: string }) => Promise<unknown>) => {
    const { names = [] } = job.params as { names?: readonly string[] };
    const end = endsBehind?.(job) ?? null;
    for (const [i, name] of names.entries()) {
      if (i === end) throw new ChildEndedError('the child ended');
      recognized.push(name);
      job.onReport?.([name, `Text of ${name}`]);
    }
    return use({ answer: null, output: '' });
  },
};
const pools = { pool, slowPool: pool } as unknown as Pick<
  ConstructorParameters<typeof ExtractionJobs>[0],
  'pool' | 'slowPool'
>;

const withLanguages = (...languages: readonly string[]): ExtractionResources => ({
  ...NO_RESOURCES,
  ocr: { languages, folders: [] },
});
let resources: ExtractionResources;
beforeEach(() => {
  resources = withLanguages('eng');
});
const jobs = new ExtractionJobs({ ...pools, resources: async () => resources });

const reading = async (document = DOCUMENT) => {
  const isPresent = () => document.contentVersion === present;
  const work = { isPresent: async () => isPresent(), document: async () => (isPresent() ? document : null) };
  const long = new LongReading({ readings, work, storeEvery: 1 });
  const hasProgressed = await long.hasProgressed(document);
  return { long, hasProgressed };
};
const NAMES = Array.from({ length: 10 }, (_, i) => String(i + 1));
const read = (long: LongReading, source = SOURCE) =>
  jobs.readPictures({ kind: 'pdf', names: NAMES, input: { path: '' }, source }, { caller: 'org', keeper: long });
const whole = Object.fromEntries(NAMES.map((name) => [name, `Text of ${name}`]));
/** An attempt whose child ends behind so many pictures, and again at once. Returns whether the one before had progressed. */
async function killedBehind(pictures: number, source = SOURCE): Promise<boolean> {
  endsBehind = ({ params }) => {
    const left = pictures - recognized.length;
    return left < (params as { names: readonly string[] }).names.length ? left : null;
  };
  const { long, hasProgressed } = await reading();
  await expect(read(long, source)).rejects.toThrow('the child ended');
  await long.close();
  endsBehind = null;
  return hasProgressed;
}

test('the next attempt goes on behind the pictures that were read, with the same result', async () => {
  await killedBehind(6);
  expect(await readings.head(DOCUMENT)).toMatchObject({ progress: { done: 6, total: 10, unit: 'pages' }, parts: 6 });
  const { long, hasProgressed } = await reading();
  expect(hasProgressed).toBe(true);
  expect(await read(long)).toEqual(whole);
  expect(recognized).toEqual(NAMES);
  await long.remove();
  expect(await blobs.get('org/doc/reading')).toBeNull();
});

test('an attempt that has kept nothing further has made no progress', async () => {
  await killedBehind(6);
  for (const expected of [true, false]) {
    const { long, hasProgressed } = await reading();
    expect(hasProgressed).toBe(expected);
    await long.open({ bytes: SOURCE, by: 'ocr eng' }, { done: 0, total: null, unit: 'pages' });
    await long.close();
  }
});

test('of bytes that differ each time only an attempt that gets further than all before has progressed', async () => {
  const attempts: boolean[] = [];
  for (const [i, pictures] of [6, 4, 0, 5, 7, 0].entries()) {
    recognized = [];
    attempts.push(await killedBehind(pictures, `bytes ${i}`));
  }
  expect(attempts).toEqual([false, true, false, false, false, true]);
  expect((await reading()).hasProgressed).toBe(false);
});

test('a child that ends is replaced while each has read something', async () => {
  endsBehind = () => 1;
  const { long } = await reading();
  expect(await read(long)).toEqual(whole);
  await long.close();
  expect(recognized).toEqual(NAMES);
  endsBehind = () => 0;
  const again = await reading();
  await expect(read(again.long, 'org/doc/other.file')).rejects.toThrow('the child ended');
  await again.long.close();
});

test.each([
  ['other bytes', 'eng', 'org/doc/other.file', DOCUMENT],
  ['another language', 'deu', SOURCE, DOCUMENT],
  ['another version of the content', 'eng', SOURCE, { ...DOCUMENT, contentVersion: 2 }],
])('of %s nothing is used again', async (_, language, source, document) => {
  await killedBehind(6);
  recognized = [];
  present = document.contentVersion;
  resources = withLanguages(language);
  const { long } = await reading(document);
  expect(await read(long, source)).toEqual(whole);
  await long.close();
  expect(recognized).toEqual(NAMES);
});

test('nothing is kept of replaced content, and the attempt ends', async () => {
  const { long } = await reading();
  await long.open({ bytes: SOURCE, by: 'ocr eng' }, { done: 0, total: null, unit: 'pages' });
  present = 2;
  long.add(['1', 'x'], { done: 1, total: 2, unit: 'pages' });
  await until(() => long.outdated.aborted);
  await long.remove();
  expect(await blobs.get('org/doc/reading')).toBeNull();
});

test('an attempt removes nothing that was kept of a later version', async () => {
  const { long } = await reading();
  await read(long);
  present = 2;
  const later = await reading({ ...DOCUMENT, contentVersion: 2 });
  await later.long.open({ bytes: SOURCE, by: 'ocr eng' }, { done: 0, total: 3, unit: 'pages' });
  later.long.add(['1', 'x'], { done: 1, total: 3, unit: 'pages' });
  await later.long.close();
  await long.remove();
  expect(await readings.head({ ...DOCUMENT, contentVersion: 2 })).toMatchObject({ parts: 1 });
});

test('what was read of a removed file goes with it', async () => {
  await killedBehind(3);
  await readings.removeOf('org/doc/other.file');
  expect(await readings.head(DOCUMENT)).not.toBeNull();
  await readings.removeOf(SOURCE);
  expect(await readings.head(DOCUMENT)).toBeNull();
});

describe('a recording', () => {
  const part = (heardSeconds: number) => ({ segments: [], next: 0, language: 'en', heardSeconds, totalSeconds: 90 });
  const job = {
    task: { task: 'extract-file', upload: {} },
    input: { path: '' },
    bytes: 1,
    source: SOURCE,
    long: 'transcribe',
  };
  /** Seconds of the parts that each job was given, and after which part of its own it ends. */
  async function transcribed(long: LongReading, ends: readonly (number | null)[]) {
    const given: (readonly number[])[] = [];
    const slowPool = {
      run: async (run: Job, use: (result: { answer: Json; output: string }) => Promise<unknown>) => {
        const { spoken } = run.params as unknown as { spoken: readonly { heardSeconds: number }[] };
        const before = spoken.map(({ heardSeconds }) => heardSeconds);
        const end = ends[given.push(before) - 1] ?? null;
        for (let seconds = (before.at(-1) ?? 0) + 30; seconds <= (end ?? 90); seconds += 30)
          run.onReport?.(part(seconds));
        if (end !== null) throw new JobTimeoutError('it took too long');
        return use({ answer: null, output: '' });
      },
    };
    const slow = new ExtractionJobs({ pool, slowPool, resources: async () => resources } as never);
    const end = await slow
      .transcribe(job as unknown as ExtractionJob, { caller: 'org', keeper: long }, async () => 'written down')
      .catch((error: Error) => error.message);
    return { given, end };
  }

  test('goes on behind the part that was written down last, at once and in the next attempt', async () => {
    const { long } = await reading();
    const first = await transcribed(long, [30, 30]);
    expect(first.given).toEqual([[], [30]]);
    expect(first.end).toContain('it took too long');
    await long.close();
    const progress = { done: 30, total: 90, unit: 'seconds' };
    expect(await readings.head(DOCUMENT)).toMatchObject({ progress });
    const next = await reading();
    expect(await transcribed(next.long, [60, null])).toEqual({ given: [[30], [30, 60]], end: 'written down' });
    await next.long.close();
  });
});
