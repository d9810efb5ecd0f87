import { mkdtemp, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DiskGuard } from './disk-guard.ts';

let folder: string;
let now = 0;
const clock = { now: () => now };
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mneme-guard-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

test('less free space than is kept refuses adds', () => {
  const guard = new DiskGuard(folder, Number.MAX_SAFE_INTEGER, clock, null);
  expect(guard.writable()).toBe(false);
  expect(() => guard.assertWritable()).toThrow(expect.objectContaining({ code: 'no_space', kind: 'transient' }));
});

test('while the file system cannot be asked, adds are refused for a while', async () => {
  const guard = new DiskGuard(folder, 0, clock, null);
  guard.assertWritable();
  await rename(folder, `${folder}-away`);
  now += 1_000;
  expect(guard.writable()).toBe(false);
  expect(() => guard.assertWritable()).toThrow(expect.objectContaining({ code: 'io_error', kind: 'transient' }));
  await rename(`${folder}-away`, folder);
  now += 1_000;
  guard.assertWritable();
  expect(guard.writable()).toBe(true);
});
