import { type Connection, itemsStream, NO_COUNTS, openSource, secretsOwner } from '#features/connections';
import { newId, systemScope } from '#platform/kernel';
import { each } from './each.ts';
import { KnownItems } from './known-items.ts';
import { type SyncOptions, TIMING } from './options.ts';
import { Pauses } from './pauses.ts';
import { SyncRecord } from './sync-record.ts';

const AT_ONCE = 8;
/** More than a sync adds between two records. */
const PAGE = 10_000;

/** Removes what a deleted connection leaves. Every step may be repeated. */
export async function endConnection(options: SyncOptions, connection: Connection, signal: AbortSignal): Promise<void> {
  const { connections, documents, secrets, store, views, clock, logger, timing = TIMING } = options;
  const { organization, id } = connection;
  await revoke(options, connection).catch((error: unknown) =>
    logger.warn(`the permission of the connection ${id} could not be given back: ${String(error)}`, error),
  );
  for (const { name } of await secrets.list(organization, secretsOwner(connection)))
    await secrets.delete({ organization, name });
  const pauses = new Pauses(timing, signal);
  const known = new KnownItems(views.reader, views.progress);
  const running = connection.running ?? {
    ...NO_COUNTS,
    id: newId(),
    trigger: 'manual' as const,
    startedAt: clock.now(),
  };
  const record = new SyncRecord({ ...connection, running }, running.trigger, { connections, timing, clock });
  const reached = async () => known.reached(await store.head(), signal);
  for (await reached(); (await pauses.attempt(() => known.count(connection))) > 0; await reached()) {
    for await (const items of known.all(connection)) {
      await each(items, AT_ONCE, async ({ id: item, document }) => {
        signal.throwIfAborted();
        if (connection.deletesDocuments && document !== null) {
          await pauses.attempt(() => documents.remove(connection, document));
        }
        // So that the views lose its row.
        await record.removed(item);
      });
    }
    await record.flush();
  }
  if (connection.deletesDocuments) await removeUnrecorded(options, connection, pauses);
  const { segment } = record.connection;
  for (let one = 1; one <= segment; one += 1) await store.erase(itemsStream(organization, id, one));
  await connections.erase(connection);
}

/** A sync that a kill has cut may have added some after it recorded its items last. */
async function removeUnrecorded(
  { documents, views }: SyncOptions,
  { organization, id, provider }: Connection,
  pauses: Pauses,
): Promise<void> {
  const equals = {
    kind: 'equals',
    key: 'connectionId',
    value: id,
    ignoreCase: false,
    negate: false,
    number: null,
  } as const;
  const query = { scope: systemScope(organization), filter: equals, filepath: null, stages: null, sources: [provider] };
  const page = { sort: 'createdAt', order: 'asc', offset: 0, limit: PAGE } as const;
  const { rows } = await pauses.attempt(() => views.reader.list({ ...query, ...page }));
  const own = rows.filter(({ customId }) => customId?.startsWith(`${id}:`));
  await each(own, AT_ONCE, async ({ id: document }) => {
    await pauses.attempt(() => documents.remove({ organization, id }, document));
  });
}

async function revoke(options: SyncOptions, connection: Connection): Promise<void> {
  const source = await openSource(options, connection);
  try {
    await source.revoke?.();
  } finally {
    await source.close();
  }
}
