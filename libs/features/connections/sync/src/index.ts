export { connectionsOf } from './connections-of.ts';
export type { ConnectionDocuments } from './options.ts';
export { runConnections } from './run-connections.ts';
