import type { AuthorizationServer } from '#features/oauth';
import type { Config } from '#platform/config';
import type { Secrets } from '#ports/secrets';

/**
 * Opens what gives applications access to the tool server; null: nothing does.
 * @throws MasterKeyMissingError if the key of its seals could not be stored
 */
export async function openAuthorizationServer(config: Config, secrets: Secrets): Promise<AuthorizationServer | null> {
  const { oauth, publicUrl, fetchAllow: allow, fetchLoopback, fetchProxy: proxy } = config;
  if (oauth === 'off' || publicUrl === null) return null;
  await secrets.ready();
  const { AuthorizationServer, ClientDocuments } = await import('#features/oauth');
  const { openFetch } = await import('#platform/fetch');
  const documents = new ClientDocuments(openFetch({ allow, loopback: fetchLoopback === 'on', proxy }));
  return new AuthorizationServer({ publicUrl, secrets, documents });
}
