import type { JsonObject } from '#platform/kernel';
import { cursorOf, publicEvent } from '#ports/event-feed';
import type { RecordedEvent } from '#ports/event-store';
import { documentNamed, eventsOf, memoryNamed, type NamedStream, positionOf } from './log.ts';
import { type OperationsContext, textOf } from './operation.ts';

/** Parses the input of a command: `types` separated by commas, one `document` or `memory`, `after` a position. */
async function parseInput(context: OperationsContext, input: JsonObject) {
  const { store } = context.parts.storage;
  const types = textOf(input.types)?.split(',');
  const after = textOf(input.after);
  return {
    named: await namedIn(context, input),
    after: after === null ? null : await positionOf(store, after),
    filter: types ? { types } : {},
    line: (event: RecordedEvent): JsonObject => ({
      position: cursorOf(store.storeId, event.position),
      stream: event.stream,
      ...publicEvent(event),
    }),
  };
}

/** Returns the stream that a command names. Null: the whole log. */
async function namedIn(context: OperationsContext, input: JsonObject): Promise<NamedStream | null> {
  const memory = textOf(input.memory);
  if (memory !== null) return memoryNamed(context, memory, input);
  const document = textOf(input.document);
  return document === null ? null : documentNamed(context, document, input);
}

/** Yields the envelopes of the whole log, or of one document or memory, up to its end. Never content. */
export async function* exportEvents(
  context: OperationsContext,
  input: JsonObject,
  signal: AbortSignal,
): AsyncIterable<JsonObject> {
  const { store } = context.parts.storage;
  const { named, after, filter, line } = await parseInput(context, input);
  const events = named === null ? eventsOf(store, filter, after) : named.events;
  for await (const event of events) {
    if (signal.aborted) return;
    if (after !== null && store.compare(event.position, after) <= 0) continue;
    if (filter.types && !filter.types.includes(event.envelope.type)) continue;
    yield line(event);
  }
}

/** Yields envelopes as they are appended, until the signal aborts. With `after` it begins behind that position. */
export async function* tailEvents(
  context: OperationsContext,
  input: JsonObject,
  signal: AbortSignal,
): AsyncIterable<JsonObject> {
  const { store } = context.parts.storage;
  const { named, after, filter, line } = await parseInput(context, input);
  const stream = named === null ? null : named.events[0]?.stream;
  const from = after ?? (await store.head());
  for await (const { events } of store.subscribe({ after: from, filter, envelopesOnly: true, signal })) {
    for (const event of events) if (stream === null || event.stream === stream) yield line(event);
  }
}
