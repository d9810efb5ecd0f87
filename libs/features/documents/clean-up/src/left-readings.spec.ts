import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type DocumentState,
  type KeptHead,
  KeptReadings,
  type Live,
  lineOf,
  MissingBlobError,
} from '#features/documents';
import { DiskBlobStore } from '#ports/blobs';
import { removeLeftReadings } from './left-readings.ts';

const state = (id: string, more: object): DocumentState =>
  ({
    status: 'live',
    organization: 'org',
    id,
    contentVersion: 2,
    extracted: null,
    stage: 'extracting',
    ...more,
  }) as Live;

/** Documents of which a page is kept, with the version that it was read of, and whether it is needed. */
const DOCUMENTS: readonly [what: string, version: number, state: DocumentState | null, isKept: boolean][] = [
  ['read', 2, state('read', {}), true],
  ['queued-again', 2, state('queued-again', { stage: 'queued' }), true],
  ['replaced', 1, state('replaced', {}), false],
  ['done', 2, state('done', { extracted: 'content', stage: 'done' }), false],
  ['failed', 2, state('failed', { stage: 'failed' }), false],
  ['lost', 2, null, true],
];

test('a document that cannot be looked at keeps no other one from being cleaned up', async () => {
  const removed: string[] = [];
  const readings = {
    documents: async function* () {
      for (const id of ['first', 'broken', 'last']) yield { organization: 'org', id };
    },
    head: async () => null,
    remove: async ({ id }: Pick<Live, 'id'>) => void removed.push(id),
  };
  const documents = {
    load: async (_: unknown, id: string) => {
      if (id === 'broken') throw new Error('not reachable');
      return state(id, {});
    },
  };
  const failures = await removeLeftReadings(readings as never, documents, new AbortController().signal);
  expect(removed).toEqual(['first', 'last']);
  expect(failures).toMatchObject({ count: 1, first: 'org/broken: Error: not reachable' });
});

test('what was kept of documents that are not read any more is removed', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'mneme-left-'));
  const blobs = await DiskBlobStore.open(folder);
  const readings = new KeptReadings(blobs);
  const source = { bytes: 'hash', by: 'ocr eng' };
  const progress = { done: 1, total: 2, unit: 'pages' } as const;
  for (const [id, version] of DOCUMENTS) {
    const head: KeptHead = { version, source, progress, parts: 1, before: 0 };
    await readings.store({ organization: 'org', id }, head, [lineOf(['1', 'words'])]);
    await blobs.put(`org/${id}/text.utf8`, Buffer.from('text'));
  }
  const documents = {
    load: async (_: unknown, id: string) => {
      const [, , loaded = null] = DOCUMENTS.find(([name]) => name === id) ?? [];
      if (loaded === null) throw new MissingBlobError('the blob is gone');
      return loaded;
    },
  };
  await removeLeftReadings(readings, documents, new AbortController().signal);
  const kept = await Array.fromAsync(readings.documents(), ({ id }) => id);
  expect(kept.sort()).toEqual(
    DOCUMENTS.filter(([, , , isKept]) => isKept)
      .map(([id]) => id)
      .sort(),
  );
  expect(await blobs.get('org/done/text.utf8')).not.toBeNull();
  await rm(folder, { recursive: true });
});
