import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import { OnlineCopies, translatingCalls, translatingDamage, WalCleaner } from '#platform/sqlite';
import { type Served, serve, serveError } from '#platform/thread-calls';
import { AppendsAhead } from './appends-ahead.ts';
import { commitQueue } from './commit-queue.ts';
import { SqliteLog } from './log.ts';
import { Reserve } from './reserve.ts';
import { openEventsDatabase } from './schema.ts';
import { HEAD, type StoreApi } from './wire.ts';

export interface StoreWorkerData {
  readonly path: string;
  readonly maxBytes: number | undefined;
}

/** Between an erasure and the truncation of the write-ahead log. Milliseconds. */
const TRUNCATE_DELAY = 1_000;

const main = parentPort as MessagePort;
const data = workerData as StoreWorkerData;
const translate = translatingDamage(data.path, 'Restore a backup into another data folder: mneme restore.');

function serveStore(main: MessagePort, { path, maxBytes }: StoreWorkerData): void {
  const db = openEventsDatabase(path);
  const log = new SqliteLog(db);
  const reserve = new Reserve(db, path, maxBytes);
  const cleaner = new WalCleaner(() => {
    const outcome = log.truncateWal();
    return (outcome === 'full' ? reserve.use(() => log.truncateWal()) : outcome) === 'done';
  }, TRUNCATE_DELAY);
  const watchers = new Set<Served>();
  const copies: OnlineCopies[] = [];
  let head = log.head();

  const commits = commitQueue(log, reserve, (erased) => {
    if (erased) cleaner.request();
    const moved = log.head();
    if (moved === head) return;
    head = moved;
    for (const watcher of watchers) watcher.notify(HEAD, head);
  });

  const serveClient = (port: MessagePort): void => {
    const sentAhead = new AppendsAhead();
    const copying = new OnlineCopies(db, (topic, value) => client.notify(topic, value));
    copies.push(copying);
    const api: StoreApi = {
      storeId: () => log.storeId,
      append: (stream, rows, expected, erase) => commits.add(() => log.append(stream, rows, expected, erase), erase),
      appendAhead: (appends, id) => sentAhead.keep(appends, id),
      appendTogether(appends, ahead) {
        const all = sentAhead.whole(ahead, appends);
        return commits.add(() => log.appendTogether(all));
      },
      readStream: (stream, from, limit) => log.readStream(stream, from, limit),
      readAll: (after, limit, filter, envelopesOnly) => log.readAll(after, limit, filter, envelopesOnly),
      head: () => log.eventAt(head),
      eventAt: (position) => log.eventAt(position),
      erase: (stream) => commits.add(() => log.erase(stream), true),
      saveSnapshot: (stream, revision, name, state) =>
        commits.add(() => log.saveSnapshot(stream, revision, name, state)),
      loadSnapshot: (stream, name) => log.loadSnapshot(stream, name),
      watch: () => {
        watchers.add(client);
        client.notify(HEAD, head);
      },
      attach: (clientPort) => serveClient(clientPort as MessagePort),
      copy: (path) => copying.copy(path),
      cancelCopies: () => copying.cancelCopies(),
      close: async () => {
        await Promise.all(copies.map((one) => one.cancelCopies()));
        commits.flush();
        // The answers to the last commits are sent first, at the end of this turn of the event loop.
        setImmediate(() => {
          cleaner.stop();
          log.truncateWal();
          log.close();
          process.exit();
        });
      },
    };
    const client: Served = serve<StoreApi>(port, translatingCalls(api, translate));
    port.on('close', () => watchers.delete(client));
  };

  serveClient(main);
  // A crash may have left text in the log that was erased just before it.
  cleaner.request();
}

try {
  serveStore(main, data);
} catch (error) {
  serveError(main, translate(error));
}
