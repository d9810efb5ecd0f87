import type { Position, RecordedEvent } from '#event-store';

/** The categories of streams whose events are told to others. */
export const PUBLIC_CATEGORIES: readonly string[] = ['document'];

/** Where an event stands, as followers name it to go on behind it. */
export const placeOf = (storeId: string, position: Position): string => `${storeId}:${position}`;

/** What leaves the server of an event: its envelope and where it stands, never its payload. */
export function publicEvent({ stream, revision, envelope }: RecordedEvent) {
  return {
    id: envelope.id,
    type: envelope.type,
    schemaVersion: envelope.schemaVersion,
    at: envelope.at,
    organization: envelope.organization,
    documentId: documentIdOf(stream, envelope.organization),
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

/** Streams of documents are named `document-<organization>_<id>`. */
function documentIdOf(stream: string, organization: string): string | null {
  const prefix = `document-${organization}_`;
  return stream.startsWith(prefix) ? stream.slice(prefix.length) : null;
}
