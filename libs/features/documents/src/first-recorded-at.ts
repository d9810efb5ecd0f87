import type { RecordedEvent } from '#ports/event-store';
import type { DocumentImported } from './events.ts';
import type { DocumentTexts } from './texts.ts';

/** Returns when an event of a document was first recorded: before an import, where the document comes from. ISO 8601. */
export async function firstRecordedAt(
  events: readonly RecordedEvent[],
  texts: DocumentTexts,
): Promise<(event: RecordedEvent) => string> {
  const imported = events.find(({ envelope }) => envelope.type === 'DocumentImported');
  if (imported === undefined) return ({ envelope }) => envelope.at;
  const times = await texts.readList((imported.payload as unknown as DocumentImported['payload']).times);
  return ({ revision, envelope }) => {
    if (revision > imported.revision) return envelope.at;
    return times.findLast(([from]) => from <= revision)?.[1] ?? envelope.at;
  };
}
