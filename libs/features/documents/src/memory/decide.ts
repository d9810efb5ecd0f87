import { err, ok, type Result } from '#platform/kernel';
import type { DocumentState, Live } from '../state.ts';
import type {
  MemoryExpired,
  MemoryForgotten,
  MemoryRecorded,
  MemoryRestored,
  MemoryRevised,
  PassageTouched,
  VersionPayload,
} from './events.ts';
import { expiresAt, isForgotten, latestVersion, type RecordedMemory } from './state.ts';

export type LiveMemory = Live & { readonly memory: RecordedMemory };

/** Null: deleted, or a document. */
export const memoryIn = (state: { readonly status: string }): LiveMemory | null => {
  const live = state as DocumentState;
  return live.status === 'live' && live.memory !== null ? (live as LiveMemory) : null;
};

export const recorded = (version: VersionPayload): MemoryRecorded => ({
  type: 'MemoryRecorded',
  contentVersion: 1,
  sizes: { characters: version.text.length },
  payload: version,
});

export const touched = (passage: PassageTouched['payload']): PassageTouched => ({
  type: 'PassageTouched',
  contentVersion: 1,
  payload: passage,
});

/** What of a memory a caller changes. Absent: as in the version before. */
export type MemoryChange = Pick<VersionPayload, 'text'> & Partial<Omit<Details, 'text'>>;

/** Bytes of what a version says, as JSON: with its ids it fits into the payload of one event. */
const MAX_BYTES = 65_000;

export const isTooLarge = (version: Details): boolean => Buffer.byteLength(JSON.stringify(version)) > MAX_BYTES;

/**
 * @param change what the caller sends; `id` and `language`: those of a new version
 * @returns no event if nothing changes
 */
export function decideRevised(
  state: DocumentState,
  { id, language, ...change }: MemoryChange & Pick<VersionPayload, 'id' | 'language'>,
): Result<readonly MemoryRevised[], 'not_found' | 'memory_too_large'> {
  const live = memoryIn(state);
  if (live === null || live.memory.forgotten !== null) return err('not_found');
  const { createdAt: _at, id: _id, language: _language, ...latest } = latestVersion(live.memory);
  // Why it expires is of no meaning for a memory that does not.
  const cleared = change.forgetAfter === null ? { forgetReason: null } : {};
  const next = { ...latest, ...cleared, ...change };
  if (isSame(latest, next)) return ok([]);
  if (isTooLarge(next)) return err('memory_too_large');
  const contentVersion = live.contentVersion + 1;
  return ok([
    {
      type: 'MemoryRevised',
      contentVersion,
      sizes: { characters: next.text.length },
      payload: { id, ...next, language },
    },
  ]);
}

export function decideForgotten(
  state: DocumentState,
  reason: string | null,
): Result<readonly [MemoryForgotten], 'not_found' | 'already_forgotten'> {
  const live = memoryIn(state);
  if (live === null) return err('not_found');
  if (isForgotten(live.memory)) return err('already_forgotten');
  return ok([{ type: 'MemoryForgotten', payload: { reason } }]);
}

/** @param now milliseconds since the epoch */
export function decideRestored(state: DocumentState, now: number): Result<readonly MemoryRestored[], 'not_found'> {
  const live = memoryIn(state);
  if (live === null) return err('not_found');
  return ok(isActive(live.memory, now) ? [] : [{ type: 'MemoryRestored', payload: null }]);
}

/** @param now milliseconds since the epoch @returns no event if nothing is due */
export function decideExpired(state: DocumentState, now: number): Result<readonly MemoryExpired[], never> {
  const live = memoryIn(state);
  const due = live === null ? null : expiresAt(live.memory);
  return ok(due === null || due > now ? [] : [{ type: 'MemoryExpired', payload: null }]);
}

/** Neither forgotten nor expired. @param now milliseconds since the epoch */
export function isActive(memory: RecordedMemory, now: number): boolean {
  const { forgetAfter } = latestVersion(memory);
  return memory.forgotten === null && (forgetAfter === null || Date.parse(forgetAfter) > now);
}

/** What a version says. */
export type Details = Omit<VersionPayload, 'id' | 'language' | 'recordedAt'>;

/** Whether two versions say the same, whatever the order of their keys. */
export const isSame = (one: Details, other: Details): boolean => canonical(one) === canonical(other);

const canonical = ({ text, isStatic, metadata, forgetAfter, temporalContext }: Details): string =>
  JSON.stringify([
    text,
    isStatic,
    Object.entries(metadata ?? {}).sort(([a], [b]) => (a < b ? -1 : 1)),
    forgetAfter === null ? null : Date.parse(forgetAfter),
    temporalContext?.documentDate ?? null,
    temporalContext?.eventDate ?? null,
  ]);
