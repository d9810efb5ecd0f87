import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { OrganizationId } from '#platform/kernel';
import { SqliteViewsReader } from './adapters/sqlite/reader.ts';
import { SqliteViewsWriter } from './adapters/sqlite/writer.ts';
import type { ViewsReader } from './port.ts';
import { RecentDeletions, withoutDeleted } from './recent-deletions.ts';
import {
  anyDocument,
  foundBy,
  listOf,
  newOrganization,
  nextPosition,
  row,
  rowsAt,
  rowsOf,
  SHELVES,
  searchFor,
  unitSet,
  units,
  upsert,
} from './testing.ts';

let folder: string;
let writer: SqliteViewsWriter;
let reader: SqliteViewsReader;
let views: ViewsReader;
let deletions: RecentDeletions;
let organization: OrganizationId;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mneme-deletions-'));
  const path = join(folder, 'views.db');
  writer = SqliteViewsWriter.open({ path, tables: [SHELVES] });
  reader = SqliteViewsReader.open({ path, cacheBytes: 0 });
  deletions = new RecentDeletions({ reached: () => new Promise(() => {}) });
  views = withoutDeleted(reader, deletions);
  organization = newOrganization();
});
afterEach(async () => {
  await reader.close();
  await writer.close();
  await rm(folder, { recursive: true });
});

it('hides a deleted document and its rows from every answer, and takes them out of totals', async () => {
  const [kept, deleted] = [row(organization), row(organization)];
  const streamOf = (id: string) => `document-${organization}_${id}`;
  await writer.apply(
    [kept, deleted].flatMap((document) => [
      upsert(document, unitSet('a walrus')),
      rowsAt(organization, streamOf(document.id), 0, [{ title: document.id, pages: 1 }]),
    ]),
    nextPosition(),
  );
  deletions.hide(deleted, null);
  const query = anyDocument(organization);
  const wanted = [kept.id, deleted.id].map((documentId) => ({ documentId, kind: 'memory' as const, ordinals: [0] }));
  const list = await views.list(listOf(query));
  const rows = await views.rows(rowsOf(organization));
  expect({
    byId: (await views.documents(query.scope, [kept.id, deleted.id])).map(({ id }) => id),
    list: [list.rows.map(({ id }) => id), list.total],
    search: await foundBy(views, searchFor('walrus', query)),
    units: (await views.units(query.scope, wanted)).map(({ documentId }) => documentId),
    newest: (await views.newestMemories(query, 10)).map(({ document }) => document.id),
    rows: [rows.rows.map(({ values }) => values.title), rows.total],
  }).toEqual({
    ...{ byId: [kept.id], list: [[kept.id], 1], search: [kept.id], units: [kept.id], newest: [kept.id] },
    rows: [[kept.id], 1],
  });
});

it('finds what is left behind better passages of a deleted document', async () => {
  const [kept, deleted] = [row(organization), row(organization)];
  const passages = Array.from({ length: 40 }, (_, i) => `walrus walrus ${i}`);
  await writer.apply(
    [
      upsert(kept, unitSet('a walrus on a cold and distant shore')),
      upsert(deleted, { units: units('chunk', passages), header: '', vectors: null }),
    ],
    nextPosition(),
  );
  const query = { ...searchFor('walrus', anyDocument(organization)), kind: 'chunk', limit: 5 } as const;
  expect(await foundBy(views, query)).not.toContain(kept.id);
  deletions.hide(deleted, null);
  expect(await foundBy(views, query)).toEqual([kept.id]);
});

it('hides nothing of another organization, which may have a document of the same id', async () => {
  const kept = row(organization);
  await writer.apply([upsert(kept, unitSet('a walrus'))], nextPosition());
  deletions.hide({ organization: 'another', id: kept.id }, null);
  expect(await foundBy(views, searchFor('walrus', anyDocument(organization)))).toEqual([kept.id]);
});
