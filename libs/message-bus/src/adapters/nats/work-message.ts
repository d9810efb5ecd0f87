import type { WorkMessage } from '../../port.ts';

export const encodeMessage = (message: WorkMessage): string => JSON.stringify(message);

/** @throws Error that says what is wrong with it */
export function decodeMessage(body: Uint8Array): WorkMessage {
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body));
  } catch {
    throw new Error('it is no JSON');
  }
  if (typeof value !== 'object' || value === null) throw new Error('it is no JSON object');
  const { organization, documentId, contentVersion, attempt, position, causationId } = value as Record<string, unknown>;
  return {
    organization: text('organization', organization),
    documentId: text('documentId', documentId),
    contentVersion: count('contentVersion', contentVersion),
    attempt: count('attempt', attempt),
    position: position === null ? null : text('position', position),
    causationId: causationId === null ? null : text('causationId', causationId),
  };
}

function text(name: string, value: unknown): string {
  if (typeof value !== 'string' || value === '') throw new Error(`${name} must be a text that is not empty`);
  return value;
}

function count(name: string, value: unknown): number {
  if (!Number.isSafeInteger(value) || (value as number) < 1) throw new Error(`${name} must be a whole number from 1`);
  return value as number;
}
