import type { Metadata } from '#platform/kernel';

/** What one event may hold of metadata, in bytes of JSON; the rest follows in events of its own. */
const METADATA_PER_EVENT = 20_000;

/** Splits metadata into parts that fit into one event each. A value that is long by itself gets a part of its own. */
export function splitMetadata(metadata: Metadata | null): Metadata[] {
  if (metadata === null) return [];
  const parts: Record<string, Metadata[string]>[] = [{}];
  let room = METADATA_PER_EVENT;
  for (const [key, value] of Object.entries(metadata)) {
    const size = Buffer.byteLength(JSON.stringify([key, value]));
    if (size > room) {
      parts.push({});
      room = METADATA_PER_EVENT;
    }
    // Not by assignment: a caller's key may be `__proto__`.
    Object.defineProperty(parts.at(-1), key, { value, enumerable: true, configurable: true, writable: true });
    room -= size;
  }
  return parts;
}

export function sameMetadata(a: Metadata, b: Metadata | null): boolean {
  if (b === null) return false;
  const keys = Object.keys(a);
  return keys.length === Object.keys(b).length && keys.every((key) => Object.hasOwn(b, key) && a[key] === b[key]);
}
