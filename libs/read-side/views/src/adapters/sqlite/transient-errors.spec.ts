import { statSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { withoutFileDescriptors } from '../../../../../../test/support/file-descriptors.ts';
import { SmallDisk } from '../../../../../../test/support/small-disk.ts';
import { newOrganization, nextPosition, row, upsert } from '../../testing.ts';
import { SqliteViewsReader } from './reader.ts';
import { SqliteViewsWriter } from './writer.ts';

let folder: string;
let path: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mneme-views-'));
  path = join(folder, 'views.db');
});
afterEach(() => rm(folder, { recursive: true }));

const batch = () => Array.from({ length: 500 }, () => upsert(row(newOrganization(), { title: 'x'.repeat(2_000) })));

it('a batch on a disk that is full rejects with a transient error, and may be applied again', async () => {
  const disk = await SmallDisk.mount(8);
  if (disk === null) return;
  const writer = SqliteViewsWriter.open({ path: join(disk.folder, 'views.db') });
  try {
    await writer.apply([upsert(row(newOrganization()))], nextPosition());
    disk.fill(0);
    const changes = batch();
    const position = nextPosition();
    await expect(writer.apply(changes, position)).rejects.toMatchObject({ kind: 'transient' });
    disk.free();
    await writer.apply(changes, position);
    expect(await writer.checkpoint()).toBe(position);
  } finally {
    await writer.close();
    await disk.unmount();
  }
});

describe('the write-ahead log', () => {
  const MIB = 1024 * 1024;
  const logSize = (file: string) => statSync(`${file}-wal`).size;

  it('is emptied on a full disk, with the space that was reserved for it', async () => {
    const disk = await SmallDisk.mount(24);
    if (disk === null) return;
    const file = join(disk.folder, 'views.db');
    const writer = SqliteViewsWriter.open({ path: file });
    try {
      const position = nextPosition();
      await writer.apply([...batch(), ...batch()], position);
      expect(logSize(file)).toBeGreaterThan(2 * MIB);
      disk.fill(0);
      const refused = Array.from({ length: 8 }, batch).flat();
      await expect(writer.apply(refused, nextPosition())).rejects.toMatchObject({ kind: 'transient' });
      expect(logSize(file)).toBe(0);
      expect(await writer.checkpoint()).toBe(position);
      // The reserve is there again.
      expect(disk.freeMegabytes).toBeLessThan(6);
    } finally {
      await writer.close();
      await disk.unmount();
    }
  });

  it('does not grow beyond its limit, and only to three times of it while a reader holds it', async () => {
    const longestLog = 2 * MIB;
    const writer = SqliteViewsWriter.open({ path, longestLog });
    const oneBatch = MIB * 4;
    for (let i = 0; i < 8; i += 1) await writer.apply(batch(), nextPosition());
    expect(logSize(path)).toBeLessThan(longestLog + oneBatch);

    const reader = new DatabaseSync(path, { readOnly: true });
    reader.exec('BEGIN');
    reader.prepare('SELECT count(*) FROM documents').get();
    const refused = await (async () => {
      for (let i = 0; i < 20; i += 1) await writer.apply(batch(), nextPosition());
    })().catch((error: unknown) => error);
    expect(refused).toMatchObject({ kind: 'transient', code: 'busy' });
    expect(logSize(path)).toBeLessThan(3 * longestLog + oneBatch);

    reader.exec('COMMIT');
    await writer.apply(batch(), nextPosition());
    expect(logSize(path)).toBeLessThan(longestLog + oneBatch);
    reader.close();
    await writer.close();
  });
});

it('a batch while another connection writes rejects with a transient error', async () => {
  const writer = SqliteViewsWriter.open({ path });
  const other = new DatabaseSync(path);
  other.exec('BEGIN IMMEDIATE');
  await expect(writer.apply([upsert(row(newOrganization()))], nextPosition())).rejects.toMatchObject({
    kind: 'transient',
    code: 'busy',
  });
  other.close();
  await writer.apply([upsert(row(newOrganization()))], nextPosition());
  await writer.close();
});

it('views that no file descriptor is left for throw a transient error, and are not replaced', async () => {
  const writer = SqliteViewsWriter.open({ path });
  const position = nextPosition();
  await writer.apply([upsert(row(newOrganization()))], position);
  await writer.close();
  const openings = [
    async () => SqliteViewsReader.open({ path, cacheBytes: 0 }).close(),
    async () => SqliteViewsWriter.open({ path }).close(),
  ];
  const outcomes = await withoutFileDescriptors(() => Promise.allSettled(openings.map((open) => open())));
  if (outcomes === null) return;
  const refused = { status: 'rejected', reason: { kind: 'transient', code: 'too_many_files' } };
  expect(outcomes).toMatchObject([refused, refused]);
  const again = SqliteViewsWriter.open({ path });
  expect([again.opened, await again.checkpoint()]).toEqual(['found', position]);
  await again.close();
});
