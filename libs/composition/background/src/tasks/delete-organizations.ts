import { setTimeout as pause } from 'node:timers/promises';
import pLimit from 'p-limit';
import type { Parts } from '#composition/runtime';
import { FOUNDING_STREAM, KnownOrganizations, organizationStream } from '#features/access';
import { connectionsOf } from '#features/connections/sync';
import { OPEN_DELETIONS_STREAM, parseDocumentStream } from '#features/documents';
import { type Clock, hasCode, type OrganizationId, systemScope } from '#platform/kernel';
import { type EventStore, type Position, readPages, SYSTEM, systemCause } from '#ports/event-store';
import { untilShown } from '#read-side/views';

export interface DeleteOrganizationsOptions {
  readonly parts: Pick<
    Parts,
    'storage' | 'views' | 'connections' | 'secrets' | 'tagLocks' | 'bulkDeletions' | 'deletionLog' | 'organizations'
  >;
  readonly clock: Clock;
  readonly logger: { info(message: string): void; warn(message: string, cause?: unknown): void };
  /** How long other processes may still add something after the request. Milliseconds. */
  readonly waitMs: number;
  readonly signal: AbortSignal;
}

const PAGE = 1_000;
const AT_ONCE = 32;
const LOOK_AGAIN_MS = 200;
const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 30_000;
/** They hold events of all organizations, and nothing that a caller sent. */
const SHARED: readonly string[] = [OPEN_DELETIONS_STREAM, FOUNDING_STREAM];

/**
 * Erases everything of the organizations whose deletion the log says was requested, those of an ended process included, until
 * the signal aborts. Every step may be repeated. One process at a time may call it.
 */
export async function deleteOrganizations(options: DeleteOrganizationsOptions): Promise<void> {
  const { store } = options.parts.storage;
  const { signal } = options;
  const known = new KnownOrganizations();
  const running = new Map<OrganizationId, Promise<void>>();
  const start = () => {
    for (const { id, state } of known.all()) {
      if (state === 'deleting' && !running.has(id)) running.set(id, new OrganizationErasure(options, id).run());
    }
  };
  const filter = { categories: ['organization'] };
  let after: Position | null = null;
  for await (const { events, position } of readPages(store, { after, limit: PAGE, filter })) {
    for (const event of events) known.apply(event);
    after = position;
  }
  start();
  try {
    for await (const { events } of store.subscribe({ after, filter, signal })) {
      for (const event of events) known.apply(event);
      start();
    }
  } finally {
    await Promise.all(running.values());
  }
}

/** The erasure of one organization, from wherever it was left. */
class OrganizationErasure {
  readonly #options: DeleteOrganizationsOptions;
  readonly #id: OrganizationId;

  constructor(options: DeleteOrganizationsOptions, id: OrganizationId) {
    this.#options = options;
    this.#id = id;
  }

  /** Resolves when nothing is left or the signal has aborted; an error is logged, and the work is done again. */
  async run(): Promise<void> {
    const { signal, logger } = this.#options;
    for (let wait = FIRST_PAUSE_MS; !signal.aborted; wait = Math.min(2 * wait, LONGEST_PAUSE_MS)) {
      try {
        await this.#eraseAll();
        logger.info(`the organization ${this.#id} is deleted`);
        return;
      } catch (error) {
        if (signal.aborted) return;
        logger.warn(`the deletion of the organization ${this.#id} goes on after an error: ${String(error)}`, error);
        await pause(wait, undefined, { signal }).catch(() => undefined);
      }
    }
  }

  async #eraseAll(): Promise<void> {
    const { parts, clock, waitMs, signal } = this.#options;
    // Adds that had passed the check before the request.
    await parts.tagLocks.settled(signal);
    const complete = clock.now() + waitMs;
    // Again when no other process adds anything any more: the time counts from here, for the request may be of another clock.
    for (let isLast = false; !isLast; ) {
      isLast = clock.now() >= complete;
      await this.#eraseOnce();
      if (!isLast) await pause(Math.max(0, complete - clock.now()), undefined, { signal });
    }
    await parts.organizations.end(systemCause(), this.#id);
  }

  async #eraseOnce(): Promise<void> {
    const { parts, signal } = this.#options;
    const { store, blobs } = parts.storage;
    await this.#endConnections();
    try {
      await parts.bulkDeletions.delete(systemScope(this.#id), SYSTEM, { by: 'reset' }, signal);
    } catch (error) {
      // What is left outside of the log is erased below, or by the garbage collection.
      if (!hasCode(error, 'erasure_delayed')) throw error;
    }
    // A running deletion reads its request, which is erased with the others.
    while ((await parts.deletionLog.open()).some(({ organization }) => organization === this.#id)) {
      await pause(LOOK_AGAIN_MS, undefined, { signal });
    }
    await this.#eraseStreams(store);
    await blobs.deletePrefix(`${this.#id}/`);
    await parts.secrets.forget(this.#id);
  }

  /** They give their permissions back, and add nothing any more. */
  async #endConnections(): Promise<void> {
    const { parts, signal } = this.#options;
    const { storage, views, connections } = parts;
    await untilShown(views.progress, await storage.store.head(), signal);
    for (const id of await connectionsOf(views.reader, this.#id)) {
      const name = { organization: this.#id, id };
      await connections.delete(name, systemCause(), true);
      while ((await connections.load(name)) !== null) await pause(LOOK_AGAIN_MS, undefined, { signal });
    }
  }

  /** Documents have erased their streams; what remains are names, keys, settings and the like. */
  async #eraseStreams(store: EventStore): Promise<void> {
    const { signal } = this.#options;
    const own = organizationStream(this.#id);
    const range = { after: null, limit: PAGE, filter: { organization: this.#id }, envelopesOnly: true };
    for await (const { events } of readPages(store, range)) {
      signal.throwIfAborted();
      const streams = events.flatMap(({ stream, revision }) => (revision === 0 ? [stream] : []));
      const left = streams.filter(
        (stream) => stream !== own && !SHARED.includes(stream) && parseDocumentStream(stream) === null,
      );
      await pLimit(AT_ONCE).map(left, (stream) => store.erase(stream));
    }
  }
}
