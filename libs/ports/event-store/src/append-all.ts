import { inAppends } from './append-checks.ts';
import type { AppendChain, AppendOptions, AppendResult, EventStore, NewEvent, StreamAppend } from './port.ts';

/** The appends of events to one stream, one after the other. */
export function appendsOf({ stream, events, expected }: StreamAppend): AppendChain {
  let at = expected;
  return inAppends(events).map((part) => {
    const append = { stream, events: part, expected: at };
    at = (at === 'no-stream' ? -1 : at) + part.length;
    return append;
  });
}

/**
 * Appends events as `EventStore.append` does, in several appends if one cannot hold them: in one transaction where the engine
 * has transactions over appends. Without them, an error or a conflict may leave the first of them recorded.
 */
export async function appendAll(
  store: EventStore,
  stream: string,
  events: readonly NewEvent[],
  options: AppendOptions & { readonly expected: StreamAppend['expected'] },
): Promise<AppendResult> {
  const appends = appendsOf({ stream, events, expected: options.expected });
  if (appends.length === 1) return store.append(stream, events, options);
  const [result] = await store.appendTogether([appends]);
  if (result === undefined) throw new Error('a chain of appends has no result');
  if (result.ok) {
    const last = result.appended.at(-1);
    if (last === undefined) throw new Error('a chain of appends is empty');
    return { ...last, erased: result.appended.some(({ erased }) => erased) };
  }
  if (result.conflict === null) throw result.error;
  const { revision } = await store.readStream(stream);
  return { ok: false, conflict: { actual: revision } };
}
