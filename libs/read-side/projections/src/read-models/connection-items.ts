import { CONNECTION_ITEMS, type ItemsSynced, itemSlot, parseItemsStream } from '#features/connections';
import type { ReadModel } from '../read-model.ts';
import { keyedModel } from '../row-models.ts';

/** Events of one stream of items come after those of the streams before. */
const EVENTS_OF_A_STREAM = 1_048_576;

/** What is known of the items of connections: of each, what was recorded last. */
export const ITEMS_OF_CONNECTIONS: ReadModel = keyedModel({
  name: CONNECTION_ITEMS,
  version: 1,
  columns: {
    ...{ connection: 'text', item: 'text', slot: 'number', version: 'text', details: 'text', path: 'text' },
    ...{ title: 'text', document: 'text', hash: 'text', bytes: 'number', failure: 'text', state: 'text', at: 'number' },
  },
  indexes: [
    ['connection', 'item'],
    ['connection', 'slot'],
    ['connection', 'state', 'at'],
  ],
  types: ['ItemsSynced'],
  rowsOf: ({ stream, revision, envelope, payload }) => {
    const name = parseItemsStream(stream);
    if (payload === null || name === null) return [];
    const { items, removed } = payload as ItemsSynced['payload'];
    const common = { owner: name.owner, order: name.segment * EVENTS_OF_A_STREAM + revision };
    const connection = name.id;
    return [
      ...removed.map((key) => ({ ...common, key, values: null })),
      ...items.map(({ id: item, ...known }) => ({
        ...{ ...common, key: item },
        values: {
          ...{ connection, item, slot: itemSlot(item), ...known },
          state: known.failure === null ? 'synced' : 'failed',
          at: Date.parse(envelope.at),
        },
      })),
    ];
  },
});
