/**
 * Returns the 32-bit id of a term in the index: FNV-1a over its UTF-16 code units with the finalizer of MurmurHash3, so
 * that similar words differ in every bit. Never 0, which is padding. Part of the stored format: a change needs a new index
 * version.
 */
export function termHash(term: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < term.length; i++) hash = Math.imul(hash ^ term.charCodeAt(i), 0x01000193);
  hash ^= hash >>> 16;
  hash = Math.imul(hash, 0x85ebca6b);
  hash ^= hash >>> 13;
  hash = Math.imul(hash, 0xc2b2ae35);
  hash ^= hash >>> 16;
  return hash >>> 0 || 1;
}
