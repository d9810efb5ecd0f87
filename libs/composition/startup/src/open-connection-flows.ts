import type { ConnectionFlows } from '#features/connections/authorization';
import type { Config } from '#platform/config';
import type { Clock } from '#platform/kernel';
import type { Secrets } from '#ports/secrets';

/** Opens the ways of people who permit connections and choose what is read; null: the server has no public address. */
export async function openConnectionFlows(
  { publicUrl, redirects }: Config,
  secrets: Secrets,
  clock: Clock,
): Promise<ConnectionFlows | null> {
  if (publicUrl === null) return null;
  const { ConnectionFlows } = await import('#features/connections/authorization');
  return new ConnectionFlows({ publicUrl, redirects, secrets, clock });
}
