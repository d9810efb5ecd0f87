import type { ConnectionFlows } from '#features/connections/authorization';

/** Key by which use cases ask for `ConnectionFlows`; null: the server has no public address. */
export const CONNECTION_FLOWS = Symbol('ways of people who permit and choose');

export type Flows = ConnectionFlows | null;

/** `link_over`: it was not made by this installation, is too old, or was used. */
export type LinkRefusal = 'link_over';
