export { ITEM_SLOTS, itemCustomId, itemSlot } from './customid.ts';
export type { SyncEnd } from './decide.ts';
export {
  CONNECTION_EVENTS,
  ITEM_EVENTS,
  type ItemFilters,
  type ItemsSynced,
  type SyncedItem,
  type SyncTrigger,
} from './events.ts';
export { isTaken, NO_FILTERS } from './filters.ts';
export { CONNECTION_ITEMS, CONNECTIONS, itemFrom } from './items.ts';
export { openSource } from './open-source.ts';
export { ConnectionRepository } from './repository.ts';
export { secretName, secretsOwner } from './secret-names.ts';
export { type Connection, type EndedSync, NO_COUNTS, type RunningSync, type SyncCounts } from './state.ts';
export {
  type ConnectionName,
  itemsStream,
  parseConnectionStream,
  parseItemsStream,
} from './streams.ts';
