import { invalid } from '#platform/input';
import type { MemoryName } from './memory-finder.ts';

/** @throws InputError if the memory is not named */
export function nameIn({ id, content }: { readonly id?: string; readonly content?: string }): MemoryName {
  if (id !== undefined) return { id };
  if (content !== undefined) return { text: content };
  throw invalid('id', 'id or content is required');
}
