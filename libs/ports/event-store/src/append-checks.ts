import type { JsonObject } from '#platform/kernel';
import { AppendTooLargeError, PayloadTooLargeError } from './errors.ts';
import type { AppendChain, NewEvent } from './port.ts';

/** 64 KiB of a caller's value, and the field that holds it. */
const MAX_PAYLOAD_BYTES = 65 * 1024;
const MAX_EVENTS = 12;
/** EventStoreDB takes 1 MiB in one append. */
const MAX_APPEND_BYTES = 900 * 1024;
/** So many events of any size that callers can cause are within the limits. */
const FEW_EVENTS = 3;

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

/** @param bytes of all envelopes and payloads. @throws AppendTooLargeError */
export function checkSize(stream: string, events: number, bytes: number): void {
  if (events <= MAX_EVENTS && bytes <= MAX_APPEND_BYTES) return;
  const limits = `${MAX_EVENTS} events and ${MAX_APPEND_BYTES} bytes`;
  throw new AppendTooLargeError(
    `An append to ${stream} has ${events} events and ${bytes} bytes; the limits are ${limits}`,
  );
}

/** Divides events into as few appends as the limits permit, in their order. */
export function inAppends(events: readonly NewEvent[]): readonly (readonly NewEvent[])[] {
  if (events.length <= FEW_EVENTS) return [events];
  const appends: NewEvent[][] = [[]];
  let bytes = 0;
  for (const event of events) {
    const size = Buffer.byteLength(JSON.stringify(event.envelope)) + Buffer.byteLength(JSON.stringify(event.payload));
    const last = appends.at(-1) as NewEvent[];
    const fits = last.length < MAX_EVENTS && bytes + size <= MAX_APPEND_BYTES;
    if (last.length === 0 || fits) last.push(event);
    else appends.push([event]);
    bytes = last.length === 0 || !fits ? size : bytes + size;
  }
  return appends;
}

/**
 * A stream may occur several times in one chain, one append after the other.
 * @throws RangeError if a stream occurs otherwise twice, or for events that `checkIds` refuses
 */
export function checkChains(chains: readonly AppendChain[]): void {
  const streams = new Set<string>();
  for (const chain of chains) {
    for (const [i, { stream, events, expected }] of chain.entries()) {
      checkIds(stream, events);
      const before = chain[i - 1];
      if (before?.stream === stream) {
        const revision = (before.expected === 'no-stream' ? -1 : before.expected) + before.events.length;
        if (expected === revision) continue;
      }
      if (streams.has(stream)) throw new RangeError(`Two appends of one call name the stream ${stream}`);
      streams.add(stream);
    }
  }
}
