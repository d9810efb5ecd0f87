import type { VersionPayload } from './events.ts';

/** What a version says. */
export type MemoryDetails = Omit<VersionPayload, 'id' | 'language' | 'recordedAt'>;

/** Bytes of what a version says, as JSON: with its ids it fits into the payload of one event. */
const MAX_BYTES = 65_000;

export const isTooLarge = (version: MemoryDetails): boolean => Buffer.byteLength(JSON.stringify(version)) > MAX_BYTES;

/** Whether two versions have the same details, whatever the order of their keys. */
export const haveSameDetails = (one: MemoryDetails, other: MemoryDetails): boolean =>
  canonical(one) === canonical(other);

const canonical = ({ text, isStatic, metadata, forgetAfter, temporalContext }: MemoryDetails): string =>
  JSON.stringify([
    text,
    isStatic,
    Object.entries(metadata ?? {}).sort(([a], [b]) => (a < b ? -1 : 1)),
    forgetAfter === null ? null : Date.parse(forgetAfter),
    temporalContext?.documentDate ?? null,
    temporalContext?.eventDate ?? null,
  ]);
