import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { countWords } from '#features/search';
import { type OrganizationId, systemScope } from '#platform/kernel';
import type { DocumentRow, UnitSet } from '../../documents.ts';
import {
  anyDocument,
  foundBy,
  newOrganization,
  nextPosition,
  removal,
  row,
  searchFor,
  unitSet,
  units,
  upsert,
} from '../../testing.ts';
import {
  type OpenSearchReader,
  type OpenSearchWriter,
  openOpenSearchReader,
  openOpenSearchWriter,
  removeOpenSearchViews,
  type UnitFile,
  writeUnitFile,
} from './open.ts';

const url = process.env.MNEME_TEST_OPENSEARCH_URL as string;
if (!url)
  throw new Error('MNEME_TEST_OPENSEARCH_URL must name an OpenSearch with the k-NN plugin, e.g. http://127.0.0.1:9200');

describe('units of a long document that are written from a file', () => {
  const LINES = Array.from({ length: 3_000 }, (_, i) => `Goat number ${i} broke the fence near the weir.`);
  const set: UnitSet = { units: [...units('chunk', LINES), ...units('memory', LINES)], header: '', vectors: null };
  const SHORT = 'A goat sleeps near the weir.';
  const never = new AbortController().signal;

  let prefix: string;
  let folder: string;
  let organization: OrganizationId;
  let writer: OpenSearchWriter;
  let scanning: OpenSearchReader;
  /** Selects candidates, as in a scope of any size. */
  let picking: OpenSearchReader;
  let long: DocumentRow;
  let file: UnitFile;
  let short: DocumentRow;

  beforeEach(async () => {
    prefix = `test-${randomBytes(6).toString('hex')}`;
    folder = await mkdtemp(join(tmpdir(), 'mneme-file-units-'));
    organization = newOrganization();
    writer = await open(1);
    scanning = await openOpenSearchReader({ url, prefix });
    picking = await openOpenSearchReader({ url, prefix, mostScanned: 0 });
    long = row(organization, { stage: 'indexing' });
    short = row(organization);
    const path = join(folder, 'units');
    file = { path, ...(await writeUnitFile(path, long, set)) };
    await writer.apply([upsert(short, unitSet(SHORT))], nextPosition());
  });
  afterEach(async () => {
    await Promise.all([scanning.close(), picking.close(), writer.close()]);
    await removeOpenSearchViews({ url, prefix });
    await rm(folder, { recursive: true });
  });

  const open = (fencingToken: number) =>
    openOpenSearchWriter({ url, prefix, fencingToken, holder: `test ${fencingToken}` });

  /** Aborts after some requests. */
  function abortedAfter(requests: number): AbortSignal {
    const stopping = new AbortController();
    let left = requests;
    const signal = AbortSignal.any([stopping.signal]);
    signal.throwIfAborted = () => {
      left -= 1;
      if (left < 0) throw new Error('stopped');
    };
    return signal;
  }

  /** Leaves a part of the units, as a process that was killed. */
  async function leavePart(): Promise<void> {
    const position = nextPosition();
    expect(await writer.mayBeLate(long)).toBe(true);
    await writer.apply([upsert(long)], position);
    await writer.report(position, [long]);
    await expect(writer.writeFileLate(long, file, abortedAfter(4))).rejects.toThrow('stopped');
  }

  const asked = (question: string) => searchFor(question, anyDocument(organization), { limit: 5 });
  const answers = (question: string) =>
    Promise.all(
      [scanning, picking].map(async (reader) =>
        (await reader.search(asked(question))).map(({ document, unit, score }) => [document.id, unit.ordinal, score]),
      ),
    );

  test('are neither found nor counted before the last of them is written, while other documents are', async () => {
    const before = await answers('goat weir');
    await leavePart();
    const other = row(organization, { tags: ['elsewhere'] });
    await writer.apply([upsert(other, unitSet('A lock keeper.'))], nextPosition());
    expect(await foundBy(picking, asked('lock keeper'))).toContain(other.id);

    const scope = { organization, tags: ['tag'] } as const;
    const query = searchFor('goat weir', { ...anyDocument(organization, ['tag']) }, { limit: 5 });
    for (const [i, reader] of [scanning, picking].entries()) {
      const hits = await reader.search(query);
      expect(hits.map(({ document, unit, score }) => [document.id, unit.ordinal, score])).toEqual(before[i]);
    }
    expect(await picking.units(scope, [{ documentId: long.id, kind: 'memory', ordinals: [1, 2] }])).toEqual([]);

    await writer.writeFileLate(long, file, never);
    const position = nextPosition();
    await writer.report(position, []);
    const [scanned, picked] = await answers('goat number 2999');
    expect(scanned?.[0]).toEqual([long.id, 2_999, expect.any(Number)]);
    expect(picked?.[0]).toEqual(scanned?.[0]);
    expect(await picking.totals(scope)).toEqual({ documents: 2, memories: LINES.length + 1 });
  });

  test('are the same as those of a batch', async () => {
    await leavePart();
    await writer.writeFileLate(long, file, never);
    await writer.report(nextPosition(), []);
    // Behind these are units of the same score.
    const best = async () => (await answers('goat number 7 weir')).map((hits) => hits.slice(0, 3));
    const late = await best();
    await writer.apply([upsert({ ...long, revision: long.revision + 1 }, set)], nextPosition());
    expect(await best()).toEqual(late);
  });

  test('follow a change of tags that comes before their end, and stay through changes after it', async () => {
    await leavePart();
    const moved = { ...long, tags: ['moved'], revision: long.revision + 1 };
    await writer.apply([upsert(moved)], nextPosition());
    await writer.writeFileLate(long, file, never);
    await writer.report(nextPosition(), []);
    const done = { ...moved, stage: 'done' as const, revision: moved.revision + 1 };
    await writer.apply([upsert(done)], nextPosition());
    for (const reader of [scanning, picking]) {
      const under = (tag: string) => foundBy(reader, searchFor('goat number 2999', anyDocument(organization, [tag])));
      expect(await under('moved')).toContain(long.id);
      expect(await under('tag')).not.toContain(long.id);
    }
  });

  test('go with a document that is deleted meanwhile, and with what its next writer finds of them', async () => {
    await leavePart();
    await writer.close();
    writer = await open(2);
    expect((await picking.progress()).beyond?.lacks(long)).toBe(true);
    expect(await foundBy(picking, asked('goat number 7'))).not.toContain(long.id);
    await writer.apply([removal({ ...long, revision: long.revision + 1 })], nextPosition());
    expect((await picking.progress()).beyond?.lacks('any')).toBe(false);
    const terms = { scope: systemScope(organization), kind: 'memory' as const };
    expect(await picking.termFrequencies({ ...terms, terms: [countWords('fence').terms[0] as number] })).toEqual([0]);
    for (const reader of [scanning, picking]) expect(await foundBy(reader, asked('goat'))).toEqual([short.id]);
  });

  test('that are written ahead of the row of their document replace those that it had', async () => {
    const document = { ...long, stage: 'done' as const };
    await writer.apply([upsert(document, { ...set, units: units('memory', [...LINES, 'A sluice.']) })], nextPosition());
    const next = { ...document, revision: document.revision + 1 };
    await writer.writeFileAhead(next, file, never);
    // Found as before until the batch is there.
    expect(await foundBy(picking, asked('sluice'))).toContain(document.id);
    await writer.apply([upsert(next)], nextPosition());
    for (const reader of [scanning, picking]) {
      expect(await foundBy(reader, asked('sluice'))).not.toContain(document.id);
      expect((await reader.search(asked('goat number 2999')))[0]?.unit.ordinal).toBe(2_999);
    }
  });

  test('that were complete when their writer ended are found under the next one', async () => {
    await leavePart();
    await writer.writeFileLate(long, file, never);
    await writer.close();
    writer = await open(2);
    expect((await picking.progress()).beyond?.lacks('any')).toBe(false);
    expect(await foundBy(picking, asked('goat number 2999'))).toContain(long.id);
  });

  test('that the next writer writes ahead of their document are found', async () => {
    await leavePart();
    await writer.close();
    writer = await open(2);
    const next = { ...long, stage: 'done' as const, revision: long.revision + 1 };
    await writer.writeFileAhead(next, file, never);
    await writer.apply([upsert(next)], nextPosition());
    expect((await picking.progress()).beyond?.lacks('any')).toBe(false);
    expect(await foundBy(picking, asked('goat number 2999'))).toContain(long.id);
  });

  test('of a document that the views reject are removed', async () => {
    await leavePart();
    await writer.removeUnfound(long);
    await writer.report(nextPosition(), []);
    for (const reader of [scanning, picking]) expect(await foundBy(reader, asked('goat number'))).toEqual([short.id]);
  });
});
