import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rm, utimes } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { jest } from '@jest/globals';
import { Scratch } from './scratch.ts';

const HOUR_MS = 3_600_000;

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mneme-scratch-'));
});
afterEach(async () => {
  jest.restoreAllMocks();
  await rm(folder, { recursive: true });
});

/** Opens and closes another one, which sweeps the folder. */
const swept = () => new Scratch(folder).close();

it('leaves the folders of its own process, whatever its clock says', async () => {
  const real = Date.now;
  for (const ahead of [-2 * HOUR_MS, HOUR_MS, 48 * HOUR_MS]) {
    jest.spyOn(Date, 'now').mockImplementation(() => real() + ahead);
    const scratch = new Scratch(folder);
    await scratch.make();
    await swept();
    expect([ahead, existsSync(scratch.folder)]).toEqual([ahead, true]);
    await scratch.close();
    expect(existsSync(scratch.folder)).toBe(false);
  }
});

it('removes what a former process with the same id has left', async () => {
  const left = join(folder, `${hostname()}.${process.pid}.former`);
  await mkdir(left);
  await utimes(left, 1, (Date.now() - HOUR_MS) / 1000);
  await swept();
  expect(existsSync(left)).toBe(false);
});
