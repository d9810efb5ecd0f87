import type { Position } from '#ports/event-store';

/** State of a read model, kept as JSON in the meta index in the place of a position. */
export interface ModelRecord {
  /** Shape of the index that it belongs to. */
  readonly shape: string;
  /** Up to where the log has been read for it, and has to be. Null: it has joined the others at the checkpoint. */
  readonly building: { readonly after: Position | null; readonly until: Position } | null;
}

/** In the meta index. */
export const recordId = (model: string): string => `model-${model}`;

export const recordFrom = (json: string): ModelRecord => JSON.parse(json) as ModelRecord;
