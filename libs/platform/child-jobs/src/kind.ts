/** Limits of one job of a kind. */
export interface JobLimits {
  /** Resident memory of the child and its descendants, bytes. */
  readonly rssBytes: number;
  /** Old generation of the child's JavaScript heap, MiB. */
  readonly heapMb: number;
  /** Time from the start of the work, milliseconds. */
  readonly ms: number;
  /** Size of the output file, bytes. */
  readonly outputBytes: number;
}

/** A kind of jobs: the module that does them and what each of them may take. */
export interface JobKind {
  /** Unique among the kinds of a pool. */
  readonly name: string;
  /** Module of the child, which calls `serveJobs`: `new URL('./name.child.ts', import.meta.url)`, always the `.ts` name. */
  readonly entry: URL;
  readonly limits: JobLimits;
  /** Jobs with at most this much input, in bytes, are short and may use the slot that is reserved for them. */
  readonly shortBytes: number;
  /**
   * Short jobs that a busy child is given in advance, so that it need not wait for this process between two of them. Not 0
   * only where short jobs take milliseconds: what is given to a child waits there, even if another child becomes idle.
   */
  readonly ahead: number;
}
