import { createHash } from 'node:crypto';
import { createReadStream, existsSync } from 'node:fs';
import { mkdir, open, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { quantize } from '#features/search';
import { newId, type OrganizationId } from '#platform/kernel';
import { type DocumentChange, SqliteViewsWriter, type Unit } from '#read-side/views';
import { Mneme } from '../../support/mneme.ts';
import { seededRandom, unitVector } from './random.ts';
import { zipfText } from './texts.ts';

export const UNITS_PER_CONTAINER = 1_000;
export const UNITS_PER_DOCUMENT = 5;
export const DIMENSIONS = 384;
const DOCUMENTS_AT_ONCE = 200;
const PROGRESS_EVERY = 20_000;
const CREATED_AT = Date.parse('2026-01-01T00:00:00Z');

/** A container of one document, to query without reading any other container. */
export const WARM_UP_TAG = 'warm-up';
export const containerName = (container: number): string => `container-${container}`;

/** The text of a unit follows from its number. */
export const textOfUnit = (unit: number): string => zipfText(seededRandom(unit));

/** Source files that determine the bytes of the views: a folder filled by a different version is filled again. */
const SOURCE_FILES = [
  'libs/features/search/src/analysis',
  'libs/features/search/src/entries',
  'libs/read-side/views/src/adapters/sqlite/schema.ts',
  'libs/read-side/views/src/adapters/sqlite/writer.ts',
  'libs/read-side/views/src/adapters/sqlite/entries.ts',
  'libs/ports/event-store/src/adapters/sqlite/schema.ts',
  'test/bench/support/random.ts',
  'test/bench/support/search-folder.ts',
  'test/bench/support/texts.ts',
];
const ROOT = resolve(import.meta.dirname, '../../..');

export interface SearchFolder {
  readonly folder: string;
  /** An earlier run filled it. */
  readonly reused: boolean;
}

/**
 * Prepares a data folder whose index has this many memories with random vectors, written through the port of the views. The
 * folder is kept in the temporary folder for the next run.
 */
export async function prepareSearchFolder(
  units: number,
  space: string,
  progress: (text: string) => void,
): Promise<SearchFolder> {
  const family = `mneme-bench-search-${units}-`;
  const folder = join(tmpdir(), family + (await fingerprint(space)));
  const complete = join(folder, 'complete');
  if (existsSync(complete)) {
    progress(`using ${folder}`);
    await readThrough(join(folder, 'views.db'));
    return { folder, reused: true };
  }
  for (const name of await readdir(tmpdir())) {
    if (name.startsWith(family)) await rm(join(tmpdir(), name), { recursive: true });
  }
  await mkdir(folder);
  const organization = await foundOrganization(folder);
  await fill({ folder, organization, units, space, progress });
  await writeFile(complete, '');
  return { folder, reused: false };
}

/** Creates the organization and one document in the log; the other rows exist in the views only. */
async function foundOrganization(folder: string): Promise<OrganizationId> {
  const mneme = await Mneme.start({ folder });
  try {
    await mneme.addAndWait('The kettle is in the blue cupboard.', { containerTag: WARM_UP_TAG });
    const { body } = await mneme.get<{ org: { id: string } }>('/v3/session');
    return body.org.id as OrganizationId;
  } finally {
    await mneme.stop();
  }
}

/** Reads a file into the page cache, as after a run that has just filled it. */
async function readThrough(path: string): Promise<void> {
  for await (const _ of createReadStream(path, { highWaterMark: 2 ** 20 }));
}

interface Filling {
  readonly folder: string;
  readonly organization: OrganizationId;
  readonly units: number;
  readonly space: string;
  readonly progress: (text: string) => void;
}

async function fill({ folder, organization, units, space, progress }: Filling): Promise<void> {
  const writer = SqliteViewsWriter.open({ path: join(folder, 'views.db') });
  try {
    const checkpoint = await writer.checkpoint();
    if (writer.opened !== 'found' || checkpoint === null) throw new Error('The views do not exist');
    const step = UNITS_PER_DOCUMENT * DOCUMENTS_AT_ONCE;
    for (let from = 0; from < units; from += step) {
      const documents = Array.from({ length: DOCUMENTS_AT_ONCE }, (_, i) =>
        documentOf(organization, space, from + i * UNITS_PER_DOCUMENT),
      );
      await writer.apply(documents, checkpoint);
      const filled = from + step;
      if (filled % PROGRESS_EVERY === 0) progress(`${filled} of ${units} units written`);
    }
  } finally {
    await writer.close();
  }
  // Syncs now, so that the system does not write during the measurement.
  const file = await open(join(folder, 'views.db'), 'r+');
  await file.sync();
  await file.close();
}

/** Returns a document of five memories with random vectors; everything but its id follows from the first unit's number. */
export function documentOf(organization: OrganizationId, space: string, firstUnit: number): DocumentChange {
  const units = Array.from(
    { length: UNITS_PER_DOCUMENT },
    (_, ordinal): Unit => ({
      id: newId(),
      kind: 'memory',
      ordinal,
      text: textOfUnit(firstUnit + ordinal),
      speaker: null,
    }),
  );
  const random = seededRandom(-1 - firstUnit);
  const anyVector = () => quantize(unitVector(random, DIMENSIONS));
  return {
    kind: 'upsert',
    row: {
      organization,
      id: newId(),
      customId: null,
      tags: [containerName(Math.floor(firstUnit / UNITS_PER_CONTAINER))],
      metadata: null,
      stage: 'done',
      error: null,
      contentVersion: 1,
      title: null,
      summary: null,
      type: 'text',
      url: null,
      source: 'api',
      filepath: null,
      taskType: 'memory',
      documentDate: null,
      language: null,
      author: null,
      canonicalUrl: null,
      vectorSpaces: [space],
      createdAt: CREATED_AT,
      updatedAt: CREATED_AT,
      revision: 0,
    },
    units: { units, header: '', vectors: units.map(() => ({ bare: anyVector(), wide: anyVector() })) },
  };
}

async function fingerprint(space: string): Promise<string> {
  const hash = createHash('sha256').update(space);
  for (const maker of SOURCE_FILES) {
    const path = join(ROOT, maker);
    const files = maker.endsWith('.ts') ? [path] : (await readdir(path)).sort().map((name) => join(path, name));
    for (const file of files) hash.update(await readFile(file));
  }
  return hash.digest('hex').slice(0, 16);
}
