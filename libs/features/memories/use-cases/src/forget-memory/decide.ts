import { isForgotten, type Memory, type MemoryForgotten } from '#features/memories';
import { err, ok, type Result } from '#platform/kernel';

export const decideForget = (
  memory: Memory,
  reason: string | null,
): Result<readonly [MemoryForgotten], 'already_forgotten'> =>
  isForgotten(memory) ? err('already_forgotten') : ok([{ type: 'MemoryForgotten', payload: { reason } }]);
