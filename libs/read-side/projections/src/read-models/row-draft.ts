import type { UnitKeys } from '#features/vector-spaces/model';
import type { DocumentRow, Unit } from '#read-side/views';

/** A row with one unit, whose vectors are looked up by keys. Null: by words alone. */
export interface RowDraft {
  readonly row: DocumentRow;
  readonly units: readonly Unit[];
  readonly header: string;
  readonly keys: readonly UnitKeys[] | null;
  /** Those of the second space of the row. */
  readonly second?: readonly UnitKeys[];
  /** Rows of the earlier versions of a memory. Absent: there are none. */
  readonly formers?: readonly RowDraft[];
}
