import { setTimeout as pause } from 'node:timers/promises';
import { parseConnectionStream } from '#features/connections';
import { type Position, readPages } from '#ports/event-store';
import { ConnectionLoop } from './connection-loop.ts';
import type { SyncOptions } from './options.ts';

const PAGE = 1_000;
const PAUSE_MS = 1_000;
const CREATED = 'ConnectionCreated';
const ERASED = 'ConnectionErased';
/** What every process has to hear of at once. */
const TOLD = [
  CREATED,
  'SyncRequested',
  'SyncEnded',
  'RemovalConfirmed',
  'ConnectionChanged',
  'ConnectionDeleted',
  ERASED,
];

/**
 * Keeps all connections in step with their sources until the signal aborts. Any number of processes may call it: they share the
 * connections, each of which one process syncs at a time.
 */
export async function runConnections(options: SyncOptions & { readonly signal: AbortSignal }): Promise<void> {
  const { store, logger, signal } = options;
  const loops = new Map<string, { readonly loop: ConnectionLoop; readonly ended: Promise<void> }>();
  const begin = (stream: string) => {
    const name = parseConnectionStream(stream);
    if (name === null || loops.has(stream)) return;
    const loop = new ConnectionLoop(options, name);
    const ended = loop.run(signal).finally(() => loops.delete(stream));
    loops.set(stream, { loop, ended });
  };
  let after: Position | null = null;
  let isRead = false;
  while (!signal.aborted) {
    try {
      if (!isRead) {
        const found = await openConnections(options);
        after = found.position;
        isRead = true;
        for (const stream of found.streams) begin(stream);
      }
      const filter = { categories: ['connection'], types: TOLD };
      for await (const { events, position } of store.subscribe({ after, filter, envelopesOnly: true, signal })) {
        for (const { stream, envelope } of events) {
          if (envelope.type === CREATED) begin(stream);
          else loops.get(stream)?.loop.wake({ isDeleted: envelope.type === 'ConnectionDeleted' });
        }
        after = position;
      }
    } catch (error) {
      if (signal.aborted) break;
      logger.warn(`the connections are followed again after an error: ${String(error)}`, error);
      await pause(PAUSE_MS, undefined, { signal }).catch(() => undefined);
    }
  }
  await Promise.all([...loops.values()].map(({ ended }) => ended));
}

/** Streams of the connections that are not erased, and how far the log was read. */
async function openConnections({ store }: SyncOptions) {
  const streams = new Set<string>();
  let position: Position | null = null;
  const wanted = { after: null, limit: PAGE, filter: { categories: ['connection'], types: [CREATED, ERASED] } };
  for await (const page of readPages(store, { ...wanted, envelopesOnly: true })) {
    for (const { stream, envelope } of page.events) {
      if (envelope.type === CREATED) streams.add(stream);
      else streams.delete(stream);
    }
    position = page.position;
  }
  return { streams, position };
}
