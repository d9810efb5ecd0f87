import { statfs } from 'node:fs/promises';
import { type Check, failure, mebibytes, ok, warning } from './check.ts';

export const disk: Check = {
  name: 'disk',
  about: 'Space that is left for the data folder.',
  async run({ config: { dataFolder, minFreeBytes } }) {
    const { bavail, bsize } = await statfs(dataFolder);
    const free = bavail * bsize;
    const detail = `${mebibytes(free)} free; adds stop at ${mebibytes(minFreeBytes)}`;
    const advice = `Free space on the disk of ${dataFolder}.`;
    if (free < minFreeBytes) return failure(detail, advice);
    if (free < minFreeBytes * 4) return warning(detail, advice);
    return ok(detail);
  },
};
