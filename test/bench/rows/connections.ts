import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { eventually, type Mneme } from '../../support/mneme.ts';
import { type BenchOptions, expectStatus, type Outcome, type Row } from '../support/bench.ts';
import { startBucket } from '../support/bucket.ts';
import { drained } from '../support/documents.ts';
import type { Installation, InstallationBench } from '../support/installations.ts';
import { median, seconds, whole } from '../support/statistics.ts';
import { sentence } from '../support/texts.ts';

const FILES = 10_000;
const IN_A_FOLDER = 100;
const BYTES = 2_000;
const TURNS = 5;
const TARGET = { unchangedSeconds: 3, newPerSecond: 50 };
const TIMEOUT_MS = 900_000;

interface Run {
  readonly status: string;
  readonly itemsFound: number;
  readonly itemsProcessed: number;
  readonly startedAt: string;
  readonly completedAt: string | null;
}

interface Measured {
  readonly newPerSecond: number;
  /** Of each sync in which nothing had changed. */
  readonly unchanged: readonly number[];
}

/** A folder, where it can be connected, and a bucket: their files until they are done, and syncs without a change. */
export const connections: InstallationBench = {
  name: 'connections',
  async run({ quick, progress }: BenchOptions, installation: Installation): Promise<Outcome> {
    const files = filesOf(quick ? FILES / 10 : FILES);
    const place = await mkdtemp(join(tmpdir(), 'mneme-bench-source-'));
    const bucket = await startBucket(files);
    const mneme = await installation.start({
      MNEME_FOLDERS: JSON.stringify([{ name: 'bench', path: place }]),
      MNEME_FETCH_LOOPBACK: 'on',
    });
    try {
      await writeAll(place, files);
      const of = { mneme, files: files.size, progress };
      const folder = await measured('folder', { folder: 'bench' }, of);
      const s3 = await measured('s3', bucket.metadata, { ...of, before: folder === null ? 0 : files.size });
      const rows = [
        ...(folder === null ? [] : rowsOf('a folder', files.size, folder)),
        ...(s3 === null ? [] : rowsOf('a bucket with 1,000 keys a page', files.size, s3)),
      ];
      return { rows, raw: { files: files.size, folder, s3 } };
    } finally {
      await mneme.stop();
      await bucket.stop();
      await rm(place, { recursive: true });
    }
  },
};

function rowsOf(source: string, files: number, { newPerSecond, unchanged }: Measured): Row[] {
  const took = median(unchanged);
  return [
    {
      what: `connection to ${source}: ${whole(files)} new files of 2 KB, per second to done`,
      measured: `${whole(newPerSecond)}/s`,
      target: `≥ ${TARGET.newPerSecond}/s`,
      met: newPerSecond >= TARGET.newPerSecond,
    },
    {
      what: `the same: a sync of ${whole(files)} files without a change, median of ${TURNS}`,
      measured: `${seconds(took)} (slowest ${seconds(Math.max(...unchanged))})`,
      target: `≤ ${TARGET.unchangedSeconds} s`,
      met: took <= TARGET.unchangedSeconds,
    },
  ];
}

/** @returns null: the provider cannot be used on these engines */
async function measured(
  provider: string,
  metadata: object,
  options: {
    readonly mneme: Mneme;
    readonly files: number;
    readonly before?: number;
    readonly progress: BenchOptions['progress'];
  },
): Promise<Measured | null> {
  const { mneme, files, before = 0, progress } = options;
  const begun = performance.now();
  const body = { containerTag: provider, metadata };
  const created = await mneme.request<{ id: string }>('POST', `/v3/connections/${provider}`, body);
  if (created.status === 501) return null;
  expectStatus(created.status, 200, 'a connection');
  const { id } = created.body;
  await drained(mneme, before + files, { everyMs: 200, timeoutMs: TIMEOUT_MS });
  const newPerSecond = files / ((performance.now() - begun) / 1_000);
  progress(`${provider}: ${whole(newPerSecond)} new files per second`);
  await ended(mneme, id, 1);
  const unchanged: number[] = [];
  for (let turn = 0; turn < TURNS; turn += 1) {
    const asked = await mneme.request('POST', `/v3/connections/${provider}/import`, {});
    expectStatus(asked.status, 202, 'an import');
    const { status, itemsFound, itemsProcessed, startedAt, completedAt } = await ended(mneme, id, turn + 2);
    const counts = `${status}, ${itemsFound} found, ${itemsProcessed} processed`;
    if (counts !== `completed, ${files} found, 0 processed`) throw new Error(`A sync without a change: ${counts}`);
    unchanged.push((Date.parse(completedAt ?? '') - Date.parse(startedAt)) / 1_000);
  }
  progress(`${provider}: syncs without a change ${unchanged.map(seconds).join(', ')}`);
  return { newPerSecond, unchanged };
}

/** Returns the run that has ended as the n-th. */
const ended = (mneme: Mneme, id: string, n: number): Promise<Run> =>
  eventually(async () => {
    const { body } = await mneme.get<readonly Run[]>(`/v3/connections/${id}/sync-runs`);
    const over = body.filter(({ status }) => status !== 'running');
    return over.length >= n ? (over[0] as Run) : null;
  });

/** Texts by their paths, in folders. */
function filesOf(count: number): ReadonlyMap<string, string> {
  const sentences = Array.from({ length: BYTES / 20 }, (_, i) => sentence(i));
  return new Map(
    Array.from({ length: count }, (_, n) => {
      const folder = `folder-${Math.floor(n / IN_A_FOLDER)}`;
      const body = Array.from({ length: BYTES / 40 }, (_, i) => sentences[(n * 7 + i) % sentences.length]).join(' ');
      return [`${folder}/note-${n}.txt`, `${sentence(n)} ${body}`.slice(0, BYTES)];
    }),
  );
}

async function writeAll(place: string, files: ReadonlyMap<string, string>): Promise<void> {
  for (const [path, text] of files) {
    const at = join(place, path);
    await mkdir(dirname(at), { recursive: true });
    await writeFile(at, text);
  }
}
