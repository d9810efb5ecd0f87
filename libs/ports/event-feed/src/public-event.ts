import type { Position, RecordedEvent } from '#ports/event-store';

/** The stream categories whose events are public. */
export const PUBLIC_CATEGORIES: readonly string[] = ['document'];

/** Returns the cursor with which a follower resumes behind an event. */
export const cursorOf = (storeId: string, position: Position): string => `${storeId}:${position}`;

/** Returns the public form of an event: its envelope, document or memory, and revision, never its payload. */
export function publicEvent({ stream, revision, envelope }: RecordedEvent) {
  const id = idIn(stream, envelope.organization);
  const isMemory = envelope.category === 'memory';
  return {
    id: envelope.id,
    type: envelope.type,
    schemaVersion: envelope.schemaVersion,
    at: envelope.at,
    organization: envelope.organization,
    documentId: isMemory ? null : id,
    memoryId: isMemory && id !== null ? id : undefined,
    revision,
    tags: envelope.tags,
    actor: envelope.actor,
    correlationId: envelope.correlationId,
    causationId: envelope.causationId,
    contentVersion: envelope.contentVersion,
    stage: envelope.stage,
    attempt: envelope.attempt,
    code: envelope.code,
    sizes: envelope.sizes,
  };
}

/** Streams of documents and memories are named `document-<organization>_<id>`. */
function idIn(stream: string, organization: string): string | null {
  const prefix = `document-${organization}_`;
  return stream.startsWith(prefix) ? stream.slice(prefix.length) : null;
}
