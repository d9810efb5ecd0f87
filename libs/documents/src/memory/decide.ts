import { err, ok, type Result } from '#kernel';
import type { DocumentState, Live } from '../state.ts';
import type { MemoryForgotten, MemoryRecorded, MemoryRestored, MemoryRevised, VersionPayload } from './events.ts';
import { latestVersion, type RecordedMemory } from './state.ts';

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

/** What of a memory a caller changes. Absent: as in the version before. */
export type MemoryChange = Pick<VersionPayload, 'text'> & Partial<Omit<VersionPayload, 'id' | 'text'>>;

/**
 * @param sent what the caller sends, and the id that a new version gets
 * @returns no event if nothing changes
 */
export function decideRevised(
  state: DocumentState,
  { id, ...change }: MemoryChange & { readonly id: string },
): Result<readonly MemoryRevised[], 'not_found'> {
  const live = memoryIn(state);
  if (live === null || live.memory.forgotten !== null) return err('not_found');
  const { createdAt: _at, id: _id, ...latest } = latestVersion(live.memory);
  const next = { ...latest, ...change };
  if (isSame(latest, next)) return ok([]);
  const contentVersion = live.contentVersion + 1;
  return ok([
    { type: 'MemoryRevised', contentVersion, sizes: { characters: next.text.length }, payload: { id, ...next } },
  ]);
}

export function decideForgotten(
  state: DocumentState,
  reason: string | null,
): Result<readonly [MemoryForgotten], 'not_found' | 'already_forgotten'> {
  const live = memoryIn(state);
  if (live === null) return err('not_found');
  if (live.memory.forgotten !== null) return err('already_forgotten');
  return ok([{ type: 'MemoryForgotten', payload: { reason } }]);
}

/** @param now milliseconds since the epoch */
export function decideRestored(state: DocumentState, now: number): Result<readonly MemoryRestored[], 'not_found'> {
  const live = memoryIn(state);
  if (live === null) return err('not_found');
  return ok(isActive(live.memory, now) ? [] : [{ type: 'MemoryRestored', payload: null }]);
}

/** Neither forgotten nor expired. @param now milliseconds since the epoch */
export function isActive(memory: RecordedMemory, now: number): boolean {
  const { forgetAfter } = latestVersion(memory);
  return memory.forgotten === null && (forgetAfter === null || Date.parse(forgetAfter) > now);
}

type Details = Omit<VersionPayload, 'id'>;

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
