import type { IncomingMessage } from 'node:http';
import { installationKeyOf, type StoredKeys } from '#features/access';
import type { Metrics } from '#platform/telemetry';
import { type Answer, errorAnswer } from './status-server.ts';

const BEARER = /^bearer +(\S+) *$/i;

/**
 * Returns what answers `GET /metrics` for the operator: for the key of the installation and, while there is one organization,
 * its owner keys. Keys are read from the event log.
 */
export function metricsRoute(
  metrics: Metrics,
  keys: StoredKeys,
  installationKey: string | null,
): (request: IncomingMessage) => Promise<Answer> {
  const isInstallationKey = installationKeyOf(installationKey);
  return async ({ headers }) => {
    const secret = BEARER.exec(headers.authorization ?? '')?.[1];
    if (secret === undefined || !isInstallationKey(secret)) {
      const known = await keys.read();
      const caller = secret === undefined ? null : known.authenticate(secret);
      if (caller === null) {
        return errorAnswer(401, 'unauthorized', 'A valid API key is needed: Authorization: Bearer sm_…');
      }
      if (caller.role !== 'owner' || caller.audience !== undefined || known.organizations.areSeveral()) {
        return errorAnswer(403, 'forbidden', 'Only the operator may read this');
      }
    }
    const { contentType, text } = await metrics.render();
    return { status: 200, contentType, body: text };
  };
}
