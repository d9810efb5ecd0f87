import type { MemoryExpired } from './events.ts';
import { expiresAt, type Memory } from './memory.ts';

/** @param memory null: it is deleted @param now milliseconds since the epoch @returns no event if nothing is due */
export function decideExpired(memory: Memory | null, now: number): readonly MemoryExpired[] {
  const due = memory && expiresAt(memory);
  return due === null || due > now ? [] : [{ type: 'MemoryExpired', payload: null }];
}
