import { type ConnectionSecrets, type Connector, type Source, SourceLostError } from '#ports/connectors';
import type { Secrets } from '#ports/secrets';
import { secretName } from './secret-names.ts';
import type { Connection } from './state.ts';

/** Opens the source of a connection. @throws as `Connector.open`; SourceLostError if its provider cannot be used here */
export async function openSource(
  {
    connectors,
    secrets,
  }: { readonly connectors: ReadonlyMap<string, Connector>; readonly secrets: Pick<Secrets, 'get' | 'put'> },
  { id, organization, provider, setup }: Connection,
): Promise<Source> {
  const connector = connectors.get(provider);
  if (connector === undefined || connector.missing !== null) {
    throw new SourceLostError(connector?.missing ?? `there is no provider ${provider}`);
  }
  const own: ConnectionSecrets = {
    get: (name) => secrets.get(secretName({ organization, id }, name)),
    put: (name, value) => secrets.put(secretName({ organization, id }, name), value),
  };
  return connector.open({ connection: id, organization, setup, secrets: own });
}
