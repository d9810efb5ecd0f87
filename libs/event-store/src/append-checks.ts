import type { JsonObject } from '#kernel';
import { type AppendChain, type NewEvent, PayloadTooLargeError } from './port.ts';

const MAX_PAYLOAD_BYTES = 64 * 1024;

/** @throws RangeError if there are no events, or two with the same id */
export function checkIds(stream: string, events: readonly NewEvent[]): void {
  if (events.length === 0) throw new RangeError(`An append to ${stream} needs at least one event`);
  if (new Set(events.map((event) => event.envelope.id)).size < events.length) {
    throw new RangeError(`Two events of one append to ${stream} have the same id`);
  }
}

/** Returns the payload as JSON. @throws PayloadTooLargeError */
export function payloadText(stream: string, payload: JsonObject | null): string | null {
  if (payload === null) return null;
  const text = JSON.stringify(payload);
  const bytes = Buffer.byteLength(text);
  if (bytes > MAX_PAYLOAD_BYTES) {
    throw new PayloadTooLargeError(`A payload for ${stream} has ${bytes} bytes; the limit is ${MAX_PAYLOAD_BYTES}`);
  }
  return text;
}

/** @throws RangeError if a stream occurs twice, or for events that `checkIds` refuses */
export function checkChains(chains: readonly AppendChain[]): void {
  const streams = new Set<string>();
  for (const { stream, events } of chains.flat()) {
    if (streams.has(stream)) throw new RangeError(`Two appends of one call name the stream ${stream}`);
    streams.add(stream);
    checkIds(stream, events);
  }
}
