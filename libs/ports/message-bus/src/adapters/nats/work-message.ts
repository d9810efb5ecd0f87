import type { WorkCause, WorkMessage } from '../../port.ts';

export const encodeMessage = (message: WorkMessage): string => JSON.stringify(message);

/** @throws Error whose message names the invalid field */
export function decodeMessage(body: Uint8Array): WorkMessage {
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body));
  } catch {
    throw new Error('it is not JSON');
  }
  if (typeof value !== 'object' || value === null) throw new Error('it is not a JSON object');
  const message = value as Record<string, unknown>;
  const { organization, documentId, contentVersion, caller, attempt, cause = null, settingsAt } = message;
  return {
    organization: text('organization', organization),
    documentId: text('documentId', documentId),
    contentVersion: count('contentVersion', contentVersion, 1),
    caller: text('caller', caller),
    attempt: count('attempt', attempt, 1),
    cause: cause === null ? null : causeIn(cause),
    ...(settingsAt !== undefined && { settingsAt: settingsAt === null ? null : text('settingsAt', settingsAt) }),
  };
}

function causeIn(value: unknown): WorkCause {
  if (typeof value !== 'object' || value === null) throw new Error('cause must be an object');
  const { eventId, position, revision, correlationId, tags } = value as Record<string, unknown>;
  if (!Array.isArray(tags)) throw new Error('tags must be a list');
  return {
    eventId: text('eventId', eventId),
    position: text('position', position),
    revision: count('revision', revision, 0),
    correlationId: text('correlationId', correlationId),
    tags: tags.map((tag) => text('tags', tag)),
  };
}

function text(name: string, value: unknown): string {
  if (typeof value !== 'string' || value === '') throw new Error(`${name} must be a text that is not empty`);
  return value;
}

function count(name: string, value: unknown, least: number): number {
  const isCount = Number.isSafeInteger(value) && (value as number) >= least;
  if (!isCount) throw new Error(`${name} must be a whole number from ${least}`);
  return value as number;
}
