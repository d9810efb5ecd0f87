import type { Secrets } from '#ports/secrets';

/** Key by which use cases ask for the secrets of connections. */
export const CONNECTION_SECRETS = Symbol('secrets of connections');

export type ConnectionSecretStore = Pick<Secrets, 'get' | 'put' | 'delete'>;
