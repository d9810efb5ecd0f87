import { isActive, type Memory, type MemoryRestored } from '#features/memories';
import { ok, type Result } from '#platform/kernel';

/** @param now milliseconds since the epoch @returns no event if the memory is active */
export const decideRestore = (memory: Memory, now: number): Result<readonly MemoryRestored[], never> =>
  ok(isActive(memory, now) ? [] : [{ type: 'MemoryRestored', payload: null }]);
