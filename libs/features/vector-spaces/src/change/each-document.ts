import { OPENINGS, parseDocumentStream } from '#features/documents';
import { type EventStore, readPages } from '#ports/event-store';

/** Documents that are worked on at a time, so that short ones share the model's batches. */
const CONCURRENCY = 16;
const PAGE = 1_000;

export type DocumentName = NonNullable<ReturnType<typeof parseDocumentStream>>;

/** Calls `work` for every document of the log, in the order of their adds. Starts no further call when the signal aborts. */
export async function eachDocument(
  store: Pick<EventStore, 'readAll'>,
  signal: AbortSignal,
  work: (name: DocumentName) => Promise<void>,
): Promise<void> {
  const running = new Set<Promise<void>>();
  const pages = readPages(store, {
    after: null,
    limit: PAGE,
    filter: { types: OPENINGS },
    envelopesOnly: true,
  });
  for await (const { events } of pages) {
    for (const { stream } of events) {
      if (signal.aborted) break;
      const name = parseDocumentStream(stream);
      if (name === null) continue;
      const call: Promise<void> = work(name).then(() => {
        running.delete(call);
      });
      // Awaited below; until then a rejection must not count as unhandled.
      call.catch(() => {});
      running.add(call);
      if (running.size >= CONCURRENCY) await Promise.race(running);
    }
    if (signal.aborted) break;
  }
  await Promise.all(running);
}
