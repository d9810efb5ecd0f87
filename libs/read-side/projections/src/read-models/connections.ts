import { CONNECTIONS, parseConnectionStream } from '#features/connections';
import type { ReadModel } from '../read-model.ts';
import { eventModel } from '../row-models.ts';

/** Which connections an organization has. What they come to is read from their streams. */
export const CONNECTIONS_OF_ORGANIZATIONS: ReadModel = eventModel({
  name: CONNECTIONS,
  version: 1,
  columns: { connection: 'text', created_at: 'number' },
  indexes: [['created_at']],
  types: ['ConnectionCreated', 'ConnectionErased'],
  opens: ['ConnectionCreated'],
  clears: ({ envelope }) => envelope.type === 'ConnectionErased',
  rowsOf: ({ stream, envelope: { type, at }, payload }) => {
    const name = parseConnectionStream(stream);
    if (type !== 'ConnectionCreated' || name === null || payload === null) return [];
    return [{ connection: name.id, created_at: Date.parse(at) }];
  },
});
