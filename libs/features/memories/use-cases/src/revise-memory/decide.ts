import {
  haveSameDetails,
  isTooLarge,
  latestVersion,
  type Memory,
  type MemoryDetails,
  type MemoryRevised,
  type VersionPayload,
} from '#features/memories';
import { err, ok, type Result } from '#platform/kernel';

/** What of a memory a caller changes. Absent: as in the version before. */
export type MemoryChange = Pick<MemoryDetails, 'text'> & Partial<Omit<MemoryDetails, 'text'>>;

/**
 * @param change what the caller sends; `id` and `language`: those of a new version
 * @returns no event if nothing changes
 */
export function decideRevise(
  memory: Memory,
  { id, language, ...change }: MemoryChange & Pick<VersionPayload, 'id' | 'language'>,
): Result<readonly MemoryRevised[], 'not_found' | 'memory_too_large'> {
  if (memory.forgotten !== null) return err('not_found');
  const { createdAt: _at, id: _id, language: _language, ...latest } = latestVersion(memory);
  // Why it expires is of no meaning for a memory that does not.
  const cleared = change.forgetAfter === null ? { forgetReason: null } : {};
  const next = { ...latest, ...cleared, ...change };
  if (haveSameDetails(latest, next)) return ok([]);
  if (isTooLarge(next)) return err('memory_too_large');
  const contentVersion = memory.contentVersion + 1;
  const sizes = { characters: next.text.length };
  return ok([{ type: 'MemoryRevised', contentVersion, sizes, payload: { id, ...next, language } }]);
}
