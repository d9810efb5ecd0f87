import { setTimeout as pause } from 'node:timers/promises';
import pLimit from 'p-limit';
import { documentStream, type KeptOrphans } from '#features/documents';
import type { BlobStore } from '#ports/blobs';
import type { EventStore } from '#ports/event-store';
import { Failures } from './failures.ts';

/** How long a blob may be written, and exist before the event that names it; an add takes far less. Milliseconds. */
const ADD_TAKES_MS = 10 * 60_000;
const READS = 16;

interface Folders {
  readonly store: Pick<EventStore, 'readStream'>;
  readonly blobs: Pick<BlobStore, 'listFolders'>;
  readonly signal: AbortSignal;
}

export interface OrphansOptions extends Folders {
  readonly blobs: Pick<BlobStore, 'listFolders' | 'deletePrefix'>;
  readonly documents: { readonly orphans: Pick<KeptOrphans, 'since' | 'released'> };
  /** Milliseconds. Default: ten minutes. */
  readonly addTakes?: number;
}

/**
 * Removes blobs whose document was never added, because the process ended between the two. Waits while orphans are kept.
 * @returns those that could not be removed
 */
export async function removeOrphans(options: OrphansOptions): Promise<Failures> {
  const { blobs, documents, signal, addTakes = ADD_TAKES_MS } = options;
  const failures = new Failures();
  await documents.orphans.released(signal);
  const orphans = await foldersOfOrphans(options);
  if (orphans.length === 0 || signal.aborted) return failures;
  await pause(addTakes, undefined, { signal, ref: false });
  const left = await orphansAmong(options, orphans);
  // Another process may have found since that the log has another history.
  if ((await documents.orphans.since()) !== null) return failures;
  for (const folder of left) {
    if (signal.aborted) break;
    await failures.unless(folder, () => blobs.deletePrefix(`${folder}/`));
  }
  return failures;
}

/** Returns the folders of blobs whose document the log does not hold. One may belong to an add that is under way. */
export async function foldersOfOrphans(options: Folders): Promise<readonly string[]> {
  const orphans: string[] = [];
  for await (const folders of inPages(options.blobs.listFolders())) {
    if (options.signal.aborted) break;
    orphans.push(...(await orphansAmong(options, folders)));
  }
  return orphans;
}

async function orphansAmong({ store, signal }: Folders, folders: readonly string[]): Promise<readonly string[]> {
  const isOrphan = await pLimit(READS).map(folders, (folder) => !signal.aborted && neverAdded(store, folder));
  return folders.filter((_, i) => isOrphan[i]);
}

async function neverAdded(store: OrphansOptions['store'], folder: string): Promise<boolean> {
  const [organization = '', id = ''] = folder.split('/');
  return (await store.readStream(documentStream(organization, id), { limit: 1 })).revision === 'no-stream';
}

const PAGE = 500;

async function* inPages(folders: AsyncIterable<string>): AsyncGenerator<readonly string[]> {
  let page: string[] = [];
  for await (const folder of folders) {
    page.push(folder);
    if (page.length < PAGE) continue;
    yield page;
    page = [];
  }
  yield page;
}
