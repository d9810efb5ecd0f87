import type { RecordedEvent } from '#event-store';

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
