import { MessageChannel, type MessagePort } from 'node:worker_threads';
import { connect, type Served, serve } from '#platform/thread-calls';
import type { Connection } from './connection.ts';
import { bytesAsText, type EntryParts, LogEntry } from './log-entry.ts';
import type { Outage } from './outage.ts';
import { follow, type LogClient, type LogFollower } from './watcher.ts';

/** Calls of the client that has the subscription. */
interface FeedApi {
  /** Sends the notices below from now on, in the order of the log. @returns the memory that clients share about outages */
  follow(): SharedArrayBuffer;
}

/** With the position of the newest entry, or null: every later entry will be sent. */
const FOLLOWING = 'following';
/** With entries as a flat array of primitives, which the structured clone copies several times faster than objects. */
const ENTRIES = 'entries';
/** Entries may be missed until the next FOLLOWING. */
const LOST = 'lost';

type Primitive = string | number | boolean | null;

const WIDTH = 9;

/**
 * Passes what the subscription of one client delivers to clients in other threads of its process. A subscription of their
 * own would cost each of them the transfer and the decoding of every event. An entry comes with its key if that is cached, so
 * that they need not read it from the store of the keys.
 */
export class LogFeed implements LogFollower {
  readonly #ports = new Map<MessagePort, Served>();
  /** Null: there is no subscription. */
  #followed: { newest: number | null } | null = null;
  /** To be sent together. */
  #entries: LogEntry[] = [];
  readonly #secretOf: (entry: LogEntry) => Uint8Array | null;
  readonly #outage: Outage;

  /** @param secretOf returns the secret of the key that the payload is sealed with, or null if it is not cached */
  constructor(secretOf: (entry: LogEntry) => Uint8Array | null, outage: Outage) {
    this.#secretOf = secretOf;
    this.#outage = outage;
  }

  /** Returns a port for `followThrough` in another thread. Put it in the transfer list of the message that carries it. */
  newPort(): MessagePort {
    const { port1, port2 } = new MessageChannel();
    const client = serve<FeedApi>(port1, {
      follow: () => {
        this.#send();
        this.#ports.set(port1, client);
        if (this.#followed) client.notify(FOLLOWING, this.#followed.newest);
        return this.#outage.shared;
      },
    });
    port1.on('close', () => this.#ports.delete(port1));
    return port2;
  }

  onFollowing(head: number | null): void {
    this.#send();
    this.#followed = { newest: head };
    this.#notify(FOLLOWING, head);
  }

  onEntry(entry: LogEntry): void {
    if (this.#followed) this.#followed.newest = entry.position;
    if (this.#ports.size === 0) return;
    // Also because the key of a new stream is cached with the answer to the append, which may arrive after the event.
    if (this.#entries.length === 0) setImmediate(() => this.#send());
    this.#entries.push(entry);
  }

  onLost(): void {
    this.#send();
    this.#followed = null;
    this.#notify(LOST, null);
  }

  close(): void {
    for (const port of this.#ports.keys()) port.close();
  }

  #send(): void {
    const rows: Primitive[] = [];
    for (const entry of this.#entries) {
      const { stream, revision, position, id, type, isJson, data, metadata } = entry;
      const secret = this.#secretOf(entry);
      rows.push(stream, revision, position, id, type, isJson, data, metadata, secret && bytesAsText(secret));
    }
    this.#entries = [];
    if (rows.length > 0) this.#notify(ENTRIES, rows);
  }

  #notify(topic: string, value: unknown): void {
    for (const client of this.#ports.values()) client.notify(topic, value);
  }
}

/** Follows the log, and outages, through the feed of a client in another thread, and by itself once that client is closed. */
export function followThrough(port: MessagePort, connection: Connection, follower: LogClient): void {
  const { closing } = connection;
  const remote = connect<FeedApi>(port);
  remote.onNotice((topic, value) => {
    if (topic === FOLLOWING) follower.onFollowing(value as number | null);
    else if (topic === LOST) follower.onLost();
    else deliver(value as readonly Primitive[], follower);
  });
  remote.onGone(() => {
    follower.onLost();
    if (!closing.aborted) void follow(connection, follower);
  });
  closing.addEventListener('abort', () => remote.close(), { once: true });
  remote.call('follow').then(
    (shared) => connection.outage.join(shared),
    // The other client is closed, which `onGone` reports too.
    () => undefined,
  );
}

function deliver(rows: readonly Primitive[], follower: LogFollower): void {
  for (let at = 0; at < rows.length; at += WIDTH) {
    const [stream, revision, position, id, type, isJson, data, metadata, secret] = rows.slice(at, at + WIDTH);
    const entry = new LogEntry({ stream, revision, position, id, type, isJson, data, metadata } as EntryParts);
    if (typeof secret === 'string') follower.onEntry(entry, Buffer.from(secret, 'latin1'));
    else follower.onEntry(entry);
  }
}
