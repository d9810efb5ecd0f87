import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SqliteViewsReader, SqliteViewsWriter, type UnitSet } from '#read-side/views';
import { newOrganization, nextPosition, row, unitSet, upsert } from '../../views/src/testing.ts';
import { compareViews } from './compare.ts';

const organization = newOrganization();
const german = row(organization, { language: 'de', createdAt: 1 });
const GERMAN: UnitSet = { ...unitSet('Die Rechnungen liegen im Keller.', 'Die Heizung ist kalt.'), language: 'de' };
const english = row(organization, { language: 'en' });
const ENGLISH: UnitSet = { ...unitSet('The gates were painted.', 'Die with the gardener?'), language: 'en' };

let folder: string;
const opened: (SqliteViewsReader | SqliteViewsWriter)[] = [];
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mneme-compare-'));
});
afterEach(async () => {
  for (const each of opened.splice(0).reverse()) await each.close();
  await rm(folder, { recursive: true });
});

/** Views in which the German document has these units. */
async function viewsWith(name: string, set: UnitSet): Promise<SqliteViewsReader> {
  const path = join(folder, `${name}.db`);
  const writer = SqliteViewsWriter.open({ path, tables: [] });
  opened.push(writer);
  await writer.apply([upsert(german, set), upsert(english, ENGLISH)], nextPosition());
  const reader = SqliteViewsReader.open({ path, cacheBytes: 0 });
  opened.push(reader);
  return reader;
}

async function differenceTo(serving: UnitSet): Promise<string | null> {
  const { signal } = new AbortController();
  const found = await compareViews({
    ...{ serving: await viewsWith('serving', serving), rebuilt: await viewsWith('rebuilt', GERMAN) },
    ...{ organizations: [organization], models: [], level: async () => {}, onProgress: () => {}, signal },
  });
  return found?.field ?? null;
}

test('the same documents make no difference', async () => {
  expect(await differenceTo(GERMAN)).toBeNull();
});

test('other units and other words make a difference', async () => {
  expect(await differenceTo({ ...GERMAN, language: null })).toBe('index.chunk');
  expect(await differenceTo({ ...GERMAN, units: GERMAN.units.slice(0, 3) })).toBe('units.memory');
  expect(await differenceTo({ ...GERMAN, header: 'Rechnungen' })).toBe('index.chunk');
});
