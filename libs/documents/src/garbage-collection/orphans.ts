import { setTimeout as pause } from 'node:timers/promises';
import pLimit from 'p-limit';
import type { BlobStore } from '#blobs';
import type { EventStore } from '#event-store';
import { documentStream } from '../streams.ts';

/** How long a blob may exist before the event that names it; an add takes far less between the two. */
const ADD_TAKES_MS = 60_000;
const READS = 16;

/** Removes blobs whose document was never added, because the process ended between the two. */
export async function removeOrphans(store: EventStore, blobs: BlobStore, signal: AbortSignal): Promise<void> {
  const reading = pLimit(READS);
  const orphansAmong = async (folders: readonly string[]) => {
    const isOrphan = await reading.map(folders, (folder) => !signal.aborted && neverAdded(store, folder));
    return folders.filter((_, i) => isOrphan[i]);
  };
  const orphans: string[] = [];
  for await (const folders of inPages(blobs.listFolders())) {
    if (signal.aborted) return;
    orphans.push(...(await orphansAmong(folders)));
  }
  if (orphans.length === 0 || signal.aborted) return;
  await pause(ADD_TAKES_MS, undefined, { signal, ref: false });
  for (const folder of await orphansAmong(orphans)) await blobs.deletePrefix(`${folder}/`);
}

async function neverAdded(store: EventStore, folder: string): Promise<boolean> {
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
