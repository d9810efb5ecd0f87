/** Where and how large a stream may be. What is absent is left to the server, and as it is in an existing stream. */
export interface StreamLayout {
  /** Copies in the cluster. Default: 1 for a new stream. An existing one gets more copies, never fewer. */
  readonly replicas?: number;
  /** Writes beyond this size are rejected. -1: no limit. */
  readonly maxBytes?: number;
  readonly placement?: StreamPlacement;
}

/** Servers that may hold a stream. */
export interface StreamPlacement {
  /** Name of the cluster. Null: any. */
  readonly cluster: string | null;
  /** Tags that a server must have, all of them. */
  readonly tags: readonly string[];
}
