import { setTimeout as pause } from 'node:timers/promises';
import pLimit from 'p-limit';
import type { BlobStore } from '#blobs';
import type { EventStore } from '#event-store';
import { documentStream } from '../streams.ts';
import { Failures } from './failures.ts';

/** How long a blob may be written, and exist before the event that names it; an add takes far less. Milliseconds. */
const ADD_TAKES_MS = 10 * 60_000;
const READS = 16;

export interface OrphansOptions {
  readonly store: Pick<EventStore, 'readStream'>;
  readonly blobs: Pick<BlobStore, 'listFolders' | 'deletePrefix'>;
  readonly signal: AbortSignal;
  /** Milliseconds. Default: ten minutes. */
  readonly addTakes?: number;
}

/**
 * Removes blobs whose document was never added, because the process ended between the two.
 * @returns those that could not be removed
 */
export async function removeOrphans({
  store,
  blobs,
  signal,
  addTakes = ADD_TAKES_MS,
}: OrphansOptions): Promise<Failures> {
  const failures = new Failures();
  const reading = pLimit(READS);
  const orphansAmong = async (folders: readonly string[]) => {
    const isOrphan = await reading.map(folders, (folder) => !signal.aborted && neverAdded(store, folder));
    return folders.filter((_, i) => isOrphan[i]);
  };
  const orphans: string[] = [];
  for await (const folders of inPages(blobs.listFolders())) {
    if (signal.aborted) return failures;
    orphans.push(...(await orphansAmong(folders)));
  }
  if (orphans.length === 0 || signal.aborted) return failures;
  await pause(addTakes, undefined, { signal, ref: false });
  for (const folder of await orphansAmong(orphans)) {
    if (signal.aborted) break;
    await failures.unless(folder, () => blobs.deletePrefix(`${folder}/`));
  }
  return failures;
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
