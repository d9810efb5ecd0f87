import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { contentHash } from '#platform/kernel';
import { connectNats } from '#platform/nats';
import { NatsStreamKeys, openEventStoreDb, type StreamKeys } from '#ports/event-store';
import { readWholeLog } from '../../libs/ports/event-store/src/testing.ts';
import { engineSettings } from './combinations.ts';
import type { Mneme } from './mneme.ts';

/** Returns the payloads, as JSON, that can still be read from the log of a server, which may run. Default: of all types. */
export async function payloadsOf({ folder }: Mneme, type?: string): Promise<readonly string[]> {
  const { MNEME_EVENTSTORE_URL: url, MNEME_NATS_URL: natsUrl, MNEME_PREFIX: prefix } = await engineSettings(folder);
  if (url === undefined) return embeddedPayloads(join(folder, 'events.db'), type);
  const nats = natsUrl === undefined ? null : await connectNats({ url: natsUrl, name: 'test' });
  const keys: StreamKeys =
    nats === null
      ? keysIn(join(folder, 'stream-keys.db'))
      : await NatsStreamKeys.open({ connection: nats, bucket: `${prefix}-keys`, mayCreate: false });
  const store = await openEventStoreDb({ url, keys });
  try {
    const events = await readWholeLog(store, type === undefined ? {} : { filter: { types: [type] } });
    return events.flatMap(({ payload }) => (payload === null ? [] : JSON.stringify(payload)));
  } finally {
    await store.close();
    await keys.close?.();
    await nats?.close();
  }
}

/** Reads beside the server. */
function keysIn(path: string): StreamKeys {
  const db = new DatabaseSync(path, { readOnly: true });
  const find = db.prepare('SELECT secret FROM keys WHERE stream = ? AND id = ?');
  const bytes = (hexadecimal: string) => Buffer.from(hexadecimal, 'hex');
  const refuse = async () => {
    throw new Error('These keys are only read');
  };
  return {
    get: async (stream, id) => {
      const row = find.get(bytes(contentHash(stream)), bytes(id)) as { secret: Uint8Array | null } | undefined;
      return row?.secret ?? null;
    },
    put: refuse,
    destroy: refuse,
    isDestroyed: refuse,
    among: refuse,
    close: async () => db.close(),
  };
}

function embeddedPayloads(path: string, type: string | undefined): readonly string[] {
  const db = new DatabaseSync(path, { readOnly: true });
  try {
    const ofType = type === undefined ? '' : 'AND type = ?';
    const rows = db
      .prepare(`SELECT payload FROM events WHERE payload IS NOT NULL ${ofType} ORDER BY position`)
      .all(...(type === undefined ? [] : [type]));
    return rows.map(({ payload }) => payload as string);
  } finally {
    db.close();
  }
}
