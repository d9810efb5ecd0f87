import type { ConnectionName } from './streams.ts';

/** First parts of the names of the secrets of a connection. */
export const secretsOwner = ({ id }: Pick<ConnectionName, 'id'>): string => `connectors/${id}`;

/** @param name of the secret, as its connector says it */
export const secretName = ({ organization, id }: ConnectionName, name: string) => ({
  organization,
  name: `${secretsOwner({ id })}/${name}`,
});
