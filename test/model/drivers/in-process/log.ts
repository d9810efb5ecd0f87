import { MessageChannel, type MessagePort } from 'node:worker_threads';
import { type Served, serve } from '#platform/thread-calls';
import { SqliteEventStore } from '#ports/event-store';
import { AppendsAhead } from '../../../../libs/ports/event-store/src/adapters/sqlite/appends-ahead.ts';
import { SqliteLog } from '../../../../libs/ports/event-store/src/adapters/sqlite/log.ts';
import { openEventsDatabase } from '../../../../libs/ports/event-store/src/adapters/sqlite/schema.ts';
import { HEAD, type StoreApi } from '../../../../libs/ports/event-store/src/adapters/sqlite/wire.ts';

/** The embedded log in memory and in this thread; it outlives the lives that attach to it. */
export class InProcessLog {
  readonly #log = new SqliteLog(openEventsDatabase(':memory:'));
  readonly #watchers = new Set<Served>();
  readonly #ports: MessagePort[] = [];

  async attach(): Promise<SqliteEventStore> {
    const { port1, port2 } = new MessageChannel();
    this.#serve(port1);
    this.#ports.push(port1);
    return SqliteEventStore.attach(port2);
  }

  close(): void {
    for (const port of this.#ports) port.close();
    this.#log.close();
  }

  #serve(port: MessagePort): void {
    const log = this.#log;
    const write = async <T>(work: () => T): Promise<T> => {
      const before = log.head();
      const result = log.transaction(work);
      if (log.head() !== before) for (const watcher of this.#watchers) watcher.notify(HEAD, log.head());
      return result;
    };
    const none = async (): Promise<never> => {
      throw new Error('not in this log');
    };
    const sentAhead = new AppendsAhead();
    const client: Served = serve<StoreApi>(port, {
      storeId: () => log.storeId,
      append: (stream, rows, expected, erase) => write(() => log.append(stream, rows, expected, erase)),
      appendAhead: (appends, id) => sentAhead.keep(appends, id),
      appendTogether: (appends, ahead) => write(() => log.appendTogether(sentAhead.whole(ahead, appends))),
      readStream: (stream, from, limit) => log.readStream(stream, from, limit),
      readAll: (after, limit, filter, envelopesOnly) => log.readAll(after, limit, filter, envelopesOnly),
      head: () => log.eventAt(log.head()),
      eventAt: (position) => log.eventAt(position),
      erase: (stream) => write(() => log.erase(stream)),
      saveSnapshot: (stream, revision, name, state) => write(() => log.saveSnapshot(stream, revision, name, state)),
      loadSnapshot: (stream, name) => log.loadSnapshot(stream, name),
      watch: () => {
        this.#watchers.add(client);
        client.notify(HEAD, log.head());
      },
      attach: none,
      copy: none,
      cancelCopies: none,
      close: none,
    });
    port.on('close', () => this.#watchers.delete(client));
  }
}
