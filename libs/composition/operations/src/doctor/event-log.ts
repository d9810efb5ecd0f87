import { withoutCredentials } from '#platform/kernel';
import { inspectEventStoreDb } from '#ports/event-store';
import { type Check, mebibytes, messageOf, ok, type SharedState, sizeOf } from './check.ts';

export const eventLog: Check = {
  name: 'event log',
  about: 'Everything that was added and changed; all other data follows from it.',
  async run({ engines, config }, { versions }) {
    const { files, store } = engines;
    const { eventStoreUrl: url } = config;
    const where =
      url === null ? `${files.events}, ${mebibytes(await sizeOf(files.events))}` : await eventStoreDb(url, versions);
    if ('away' in store) return { state: 'failed', detail: `${where}; ${messageOf(store.away)}` };
    const begun = performance.now();
    const head = await store.opened.head();
    const took = (performance.now() - begun).toFixed(1);
    const end = head === null ? 'empty' : `ends at ${head}`;
    return ok(`${where}; ${end}; answers in ${took} ms`);
  },
};

/** @throws EventStoreUnreachableError */
async function eventStoreDb(url: string, versions: SharedState['versions']): Promise<string> {
  const { version, nodes, alive } = await inspectEventStoreDb({ url });
  versions.EventStoreDB = version ?? 'of unknown version';
  const cluster = nodes > 1 ? `, ${alive} of ${nodes} nodes alive` : '';
  return `${withoutCredentials(url)}, EventStoreDB ${versions.EventStoreDB}${cluster}`;
}
