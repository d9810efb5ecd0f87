import type { RecordedEvent } from '#ports/event-store';

/** What is formed of a version of the content, in order. */
const RESULTS: readonly string[] = ['ContentExtracted', 'ContentChunked', 'MemoriesFormed', 'SummaryFormed'];

/** Events that a fetch without a change may have left. Those of other types say something of their own. */
const OF_FETCH = new Set([
  'ContentReplaced',
  'StageStarted',
  'StageAbandoned',
  'FetchDelayed',
  'ExtractionDeferred',
  'UnitsEmbedded',
  'SecondSpaceEmbedded',
  'PageUnchanged',
]);

/**
 * Leaves out the fetches that found a page unchanged, but the last one of each row of them: what they keep is in the events
 * before, and a page may be fetched every hour.
 */
export function withoutRepeatedFetches(events: readonly RecordedEvent[]): readonly RecordedEvent[] {
  const left = new Set<number>();
  let former: number | null = null;
  for (const [version, types] of typesOfVersions(events)) {
    const isUnchanged = types.includes('PageUnchanged') && types.every((type) => OF_FETCH.has(type));
    if (isUnchanged && former !== null) left.add(former);
    former = isUnchanged ? version : null;
  }
  return events.filter(
    ({ envelope: { type, contentVersion } }) => !(OF_FETCH.has(type) && left.has(contentVersion ?? 0)),
  );
}

/** Types of the events of each version of the content, in its order. */
function typesOfVersions(events: readonly RecordedEvent[]): ReadonlyMap<number, readonly string[]> {
  const types = new Map<number, string[]>();
  for (const { envelope } of events) {
    if (envelope.contentVersion === undefined) continue;
    const ofVersion = types.get(envelope.contentVersion);
    if (ofVersion === undefined) types.set(envelope.contentVersion, [envelope.type]);
    else ofVersion.push(envelope.type);
  }
  return types;
}

/**
 * Replaces each `PageUnchanged` with the results of the version before, as results of its own version. Such an event says that
 * searches already find what was formed before, which is not so where it is imported; without it, the page would be fetched
 * again.
 */
export function withResultsOfUnchangedPages(events: readonly RecordedEvent[]): readonly RecordedEvent[] {
  const last = new Map<string, RecordedEvent>();
  return events.flatMap((event) => {
    // The summary of another text may be missing yet, and is not that of the text before.
    if (event.envelope.type === 'ContentExtracted') last.clear();
    if (RESULTS.includes(event.envelope.type)) last.set(event.envelope.type, event);
    if (event.envelope.type !== 'PageUnchanged') return [event];
    return RESULTS.flatMap((type) => {
      const result = last.get(type);
      return result === undefined ? [] : [asResultOf(event, result)];
    });
  });
}

/** @param result of the version before */
function asResultOf(unchanged: RecordedEvent, result: RecordedEvent): RecordedEvent {
  const { tags, correlationId, contentVersion, at } = unchanged.envelope;
  const { fetched = null } = unchanged.payload ?? {};
  const isText = result.envelope.type === 'ContentExtracted';
  return {
    ...unchanged,
    envelope: { ...result.envelope, tags, correlationId, at, ...(contentVersion !== undefined && { contentVersion }) },
    payload: isText ? { ...result.payload, fetched } : result.payload,
  };
}
