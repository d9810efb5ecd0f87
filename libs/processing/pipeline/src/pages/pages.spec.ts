import { mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Fetch, FetchFailedError } from '#platform/fetch';
import { SmallDisk } from '../../../../../test/support/small-disk.ts';
import { until } from '../../../../platform/kernel/src/testing/eventually.ts';
import { type PageRequest, Pages, type PagesOptions } from './pages.ts';

const MIB = 1024 * 1024;
const LARGE = 3 * MIB;
const NEVER = new AbortController().signal;

let folder: string;
let asked: string[];
let arriving: number;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mneme-pages-'));
  [asked, arriving] = [[], 0];
});
afterEach(() => rm(folder, { recursive: true, force: true }));

/** Answers with 1 KiB at an address that contains `small`, else with a large file. */
const fetch: Fetch = {
  get: async (address, { before }, use) => {
    await before?.(new URL(address));
    asked.push(address);
    arriving += 1;
    const size = address.includes('small') ? 1024 : LARGE;
    const body = (async function* () {
      for (let sent = 0; sent < size; sent += 64 * 1024) yield Buffer.alloc(Math.min(64 * 1024, size - sent));
    })();
    const headers = { contentType: null, contentDisposition: null, etag: null, lastModified: null };
    const response = { url: address, status: 200, ...headers, body };
    return use(response).finally(() => {
      arriving -= 1;
    });
  },
};

const open = (options: Partial<PagesOptions> = {}) => new Pages({ fetch, folder, robots: 'ignore', ...options });

const at = (path: string, queue: PageRequest['queue'] = 'brief'): PageRequest => ({
  ...{ address: `https://site.test/${path}`, known: null, isPart: false, queue },
});

/** Fetches a page and keeps it on the disk until `release`. */
function holding(pages: Pages, request: PageRequest, signal = NEVER) {
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  const { promise: isRead, resolve: read } = Promise.withResolvers<void>();
  const bytes = pages.fetch(request, signal, async (page) => {
    read();
    await released;
    return 'path' in page ? (await stat(page.path)).size : null;
  });
  return { isRead, release, bytes };
}

async function bytesOnDisk(): Promise<number> {
  let bytes = 0;
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (entry.isFile()) bytes += (await stat(join(entry.parentPath, entry.name))).size;
  }
  return bytes;
}

test('few large files are on the disk at once, small ones do not wait for them, and all are read in the end', async () => {
  const pages = open({ places: 2 });
  const all = Array.from({ length: 12 }, (_, i) => holding(pages, at(`large/${i}`)));
  await until(() => asked.length === 12 && arriving === 0);
  expect(await bytesOnDisk()).toBeLessThanOrEqual(2 * LARGE);
  const small = holding(pages, at('small'));
  small.release();
  expect(await small.bytes).toBe(1024);
  for (const { release } of all) release();
  expect(await Promise.all(all.map(({ bytes }) => bytes))).toEqual(all.map(() => LARGE));
  expect(await bytesOnDisk()).toBe(0);
});

test.each([
  ['ignore', ['https://site.test/small']],
  ['respect', ['https://site.test/robots.txt', 'https://site.test/small']],
] as const)('robots: %s', async (robots, addresses) => {
  const page = holding(open({ robots }), at('small'));
  page.release();
  await page.bytes;
  expect(asked).toEqual(addresses);
});

test('a name that does not exist is tried once more within a minute, and all else for twelve minutes at most', () => {
  const pages = open();
  const pausesOf = (error: FetchFailedError) => {
    const pauses: number[] = [];
    for (let pause = pages.pauseAfter(error, 0); pause !== null; pause = pages.pauseAfter(error, pauses.length)) {
      pauses.push(pause);
    }
    return pauses;
  };
  const seconds = (pauses: readonly number[]) => pauses.reduce((sum, pause) => sum + pause, 0) / 1_000;
  const unknown = pausesOf(new FetchFailedError('no', { isTemporary: true, isUnknownName: true }));
  expect([unknown.length, seconds(unknown) < 30]).toEqual([1, true]);
  const silent = pausesOf(new FetchFailedError('no', { isTemporary: true }));
  // A try takes 30 seconds at most.
  expect([silent.length, seconds(silent) + 5 * 30 < 12 * 60]).toEqual([4, true]);
  expect(pausesOf(new FetchFailedError('no'))).toEqual([]);
});

test('files that wait for long work keep none waiting that is read at once', async () => {
  const pages = open({ places: 1 });
  const long = holding(pages, at('recording', 'long'));
  await long.isRead;
  const brief = holding(pages, at('report'));
  brief.release();
  expect(await brief.bytes).toBe(LARGE);
  long.release();
  await long.bytes;
});

test('a fetch that is not wanted any more waits no longer, and the next one gets the place', async () => {
  const pages = open({ places: 1 });
  const first = holding(pages, at('first'));
  await first.isRead;
  const end = new AbortController();
  const second = holding(pages, at('second'), end.signal);
  const third = holding(pages, at('third'));
  await until(() => asked.length === 3 && arriving === 0);
  end.abort(new Error('deleted'));
  await expect(second.bytes).rejects.toThrow('deleted');
  first.release();
  third.release();
  expect(await Promise.all([first.bytes, third.bytes])).toEqual([LARGE, LARGE]);
});

test('nothing is fetched while the disk is almost full: the work is tried again', async () => {
  const pages = open({ minFreeBytes: Number.MAX_SAFE_INTEGER });
  const error = { code: 'no_space', kind: 'transient' };
  await expect(pages.fetch(at('small'), NEVER, async () => null)).rejects.toMatchObject(error);
  expect(asked).toEqual([]);
});

test('a large file is fetched only if the disk has space for the largest one', async () => {
  const disk = await SmallDisk.mount(64);
  if (disk === null) return;
  try {
    const pages = open({ folder: disk.folder });
    const first = holding(pages, at('first'));
    await first.isRead;
    disk.fill(20);
    await expect(holding(pages, at('second')).bytes).rejects.toMatchObject({ code: 'no_space' });
    const small = holding(pages, at('small'));
    small.release();
    expect(await small.bytes).toBe(1024);
    disk.free();
    const third = holding(pages, at('third'));
    third.release();
    first.release();
    expect(await third.bytes).toBe(LARGE);
    await first.bytes;
  } finally {
    await disk.unmount();
  }
});
