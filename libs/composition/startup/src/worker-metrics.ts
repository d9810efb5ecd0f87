import type { IncomingMessage } from 'node:http';
import type { StoredKeys } from '#features/access';
import type { Metrics } from '#platform/telemetry';
import { type Answer, jsonAnswer } from './status-server.ts';

const BEARER = /^bearer +(\S+) *$/i;

/** Returns what answers `GET /metrics`, for the owner key only. Keys are read from the event log. */
export function metricsRoute(metrics: Metrics, keys: StoredKeys): (request: IncomingMessage) => Promise<Answer> {
  return async ({ headers }) => {
    const secret = BEARER.exec(headers.authorization ?? '')?.[1];
    const caller = secret === undefined ? null : (await keys.read()).authenticate(secret);
    if (caller === null) return jsonAnswer(401, { error: 'A valid API key is needed: Authorization: Bearer sm_…' });
    if (caller.role !== 'owner') return jsonAnswer(403, { error: 'Only the owner key permits this' });
    const { contentType, text } = await metrics.render();
    return { status: 200, contentType, body: text };
  };
}
