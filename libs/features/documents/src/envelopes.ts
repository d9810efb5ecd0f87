import type { CommandHandler, RecordedEvent } from '#ports/event-store';
import { documentStream } from './streams.ts';

/** Returns the events of a document without their payloads, oldest first. */
export async function envelopesOf(
  handler: CommandHandler,
  organization: string,
  id: string,
): Promise<readonly RecordedEvent[]> {
  const { events } = await handler.read(documentStream(organization, id));
  return events.map(({ stream, revision, position, envelope }) => ({
    ...{ stream, revision, position, envelope },
    payload: null,
  }));
}
