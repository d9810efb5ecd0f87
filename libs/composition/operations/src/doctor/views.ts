import { withoutCredentials } from '#platform/kernel';
import { type EventStore, type Position, readPages } from '#ports/event-store';
import { type Check, failure, mebibytes, messageOf, ok, type SharedState, sizeOf, warning } from './check.ts';

/** Limit of the count of events behind the log. */
const MAX_COUNT = 10_000;
const PAGE = 2_000;
/**
 * Age of the oldest event that the views lack, above which something keeps them from following: above the 300 seconds that a
 * very long text may take. Milliseconds.
 */
const STUCK_MS = 360_000;

export const views: Check = {
  name: 'views',
  about: 'Lists and searches are answered from them. Events that they are behind are not found yet.',
  async run({ engines, config, server }, shared) {
    const { files, reader, store } = engines;
    const { openSearchUrl: url } = config;
    const where =
      url === null ? `${files.views}, ${mebibytes(await sizeOf(files.views))}` : await openSearch(url, shared);
    if ('away' in reader) {
      const advice = 'A server builds them from the log when it starts.';
      return (url === null ? warning : failure)(messageOf(reader.away), advice);
    }
    const checkpoint = await reader.opened.checkpoint();
    if ('away' in store) return ok(`${where}; how far they are behind the log is not known`);
    if (checkpoint !== null && !(await store.opened.holds(checkpoint))) {
      return failure(
        `${where}; they follow from events that the event log does not hold`,
        'The event log was replaced, for example by an older copy. A server or worker rebuilds them when it starts.',
      );
    }
    const { behind, since } = await lagOf(store.opened, checkpoint);
    const lag =
      behind === 0 ? 'up with the log' : `${behind < MAX_COUNT ? behind : `more than ${MAX_COUNT}`} events behind`;
    const detail = `${where}; ${lag}`;
    const follows = server !== null || url !== null;
    if (follows && since !== null && Date.now() - Date.parse(since) > STUCK_MS) {
      const advice =
        'They are being rebuilt, or something in the first of these events cannot be written and is tried again without end; the log of the server or its workers names the error. Nothing is lost: they go on when it is mended.';
      return warning(`${detail}, the first of them of ${since}`, advice);
    }
    if (behind < PAGE) return ok(detail);
    const advice =
      server === null && url === null
        ? 'They catch up when a server runs.'
        : 'They are catching up or being rebuilt; if the number does not fall, look at the log of the server or its workers.';
    return warning(detail, advice);
  },
};

async function openSearch(url: string, { versions, openSearch: inspection }: SharedState): Promise<string> {
  versions.OpenSearch = (await inspection)?.version ?? 'of unknown version';
  return `${withoutCredentials(url)}, OpenSearch ${versions.OpenSearch}`;
}

/** How many events the views lack, and the time of the first of them (ISO 8601). */
async function lagOf(
  store: EventStore,
  checkpoint: Position | null,
): Promise<{ readonly behind: number; readonly since: string | null }> {
  let behind = 0;
  let since: string | null = null;
  for await (const { events } of readPages(store, { after: checkpoint, limit: PAGE, envelopesOnly: true })) {
    since ??= events[0]?.envelope.at ?? null;
    behind += events.length;
    if (behind >= MAX_COUNT) break;
  }
  return { behind, since };
}
