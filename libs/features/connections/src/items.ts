import type { Json } from '#platform/kernel';
import type { SyncedItem } from './events.ts';

/** Name of the read model of the items of connections. */
export const CONNECTION_ITEMS = 'connection_items';

/** Name of the read model by which the connections of an organization are found. */
export const CONNECTIONS = 'connections';

/** @param values a row of the read model */
export const itemFrom = (values: Readonly<Record<string, Json>>): SyncedItem =>
  ({
    ...{ id: values.item, version: values.version, details: values.details, path: values.path, title: values.title },
    ...{ document: values.document, hash: values.hash, bytes: values.bytes, failure: values.failure },
  }) as SyncedItem;
