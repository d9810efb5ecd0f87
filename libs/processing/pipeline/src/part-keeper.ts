import type { ReadingProgress, ReadingSource } from '#features/documents';
import type { Json } from '#platform/kernel';

/** Where finished parts of long work go. */
export interface PartKeeper {
  /** Begins. @returns the parts that earlier attempts have kept of this source */
  open(source: ReadingSource, progress: ReadingProgress): Promise<readonly Json[]>;
  /** Keeps a further part, a moment later. Never rejects. */
  add(part: Json, progress: ReadingProgress): void;
}
