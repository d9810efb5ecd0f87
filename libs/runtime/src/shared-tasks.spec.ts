import { systemClock } from '#kernel';
import { EmbedderOff } from '#models';
import { DEFAULT_GROUP, GroupEmbedder, SpaceEmbedders } from '#vector-spaces';
import type { Parts } from './parts.ts';
import { sharedTasks } from './shared-tasks.ts';

const { initialSpace: FORMER } = DEFAULT_GROUP;

test('an operator can cancel a move in a process that could not read the log at its start', async () => {
  const stopping = new AbortController();
  const { signal } = stopping;
  let reads = 0;
  /** The first read fails. After the second one, an operator cancels the move. */
  const load = async () => {
    reads += 1;
    if (reads === 1) throw new Error('The log cannot be reached');
    return { serving: FORMER, coming: null, outgoing: [], choices: reads === 2 ? 1 : 2 };
  };
  const ends = new Promise((resolve) => signal.addEventListener('abort', resolve));
  const store = {
    head: async () => null,
    subscribe: async function* () {
      yield await ends;
    },
  };
  const parts = {
    spaces: { load },
    storage: { nats: null, store, settings: {} },
    views: { reader: { vectorSpace: async () => FORMER } },
  } as unknown as Parts;
  const said: string[] = [];
  const info = (message: string) => {
    said.push(message);
    stopping.abort();
  };
  const embedder = new GroupEmbedder(DEFAULT_GROUP, () => new EmbedderOff(), FORMER);
  const tasks = sharedTasks(parts, {
    ...{ clock: systemClock, embedders: new SpaceEmbedders([embedder]) },
    ...{ logger: { info, warn: () => {} }, hide: () => {} },
  });
  const ended = tasks['vector-space']?.({ fencingToken: 1, signal });
  await ended;
  expect(said).toEqual([`${FORMER} goes on serving until the next start, as an operator wants it`]);
});
