import type { OrganizationId, Scope } from '#platform/kernel';
import type { Position } from '#ports/event-store';

/** Text may be any string; a number is finite. */
export type RowValue = string | number | null;
export type RowValues = Readonly<Record<string, RowValue>>;

/** The table (SQLite) or index (OpenSearch) of one read model. */
export interface RowTable {
  /** Also names the read model. Lower-case letters, digits and `_`. */
  readonly name: string;
  /** Shape version: raised when the columns or their meaning change. Rows of another version are built again from the log. */
  readonly version: number;
  /** By their names: lower-case letters, digits and `_`. */
  readonly columns: Readonly<Record<string, 'text' | 'number'>>;
  /** Columns that queries compare or sort by, behind the organization. For SQLite; OpenSearch indexes every column. */
  readonly indexes?: readonly (readonly string[])[];
}

/** A row of a read model; it names its stream and the revision that it follows from. */
export interface StreamRow {
  readonly stream: string;
  readonly revision: number;
  readonly organization: OrganizationId;
  /** In their order; never empty where the scope of a caller may name tags. */
  readonly tags: readonly string[];
  readonly values: RowValues;
}

/** Rows of one stream. Applied twice, or after a change of a later revision, it alters nothing. */
export interface RowsChange {
  readonly kind: 'rows';
  /** Name of the table. */
  readonly model: string;
  readonly stream: string;
  /** Removes the rows of lower revisions and refuses them from now on. Null: the rows are added to those present. */
  readonly floor: number | null;
  readonly rows: readonly StreamRow[];
}

/** Rows that a read model lacks because the views have refused them. Until other rows of the stream take their place. */
export interface LeftOutRows {
  /** Name of the table. */
  readonly model: string;
  readonly stream: string;
  readonly reason: string;
}

export interface RowQuery {
  /** Name of the table. */
  readonly model: string;
  readonly scope: Scope;
  /** Columns and the value that each has to have. */
  readonly equals: RowValues;
  /** A column of texts and the values one of which it has to have, at most 1,000. Default: any. */
  readonly oneOf?: { readonly column: string; readonly values: readonly string[] };
  /** A column of numbers and the least and greatest value that it may have. Default: any. */
  readonly within?: { readonly column: string; readonly from: number | null; readonly to: number | null };
  /** A column of numbers; rows without one come first, ties follow stream and revision. Null: by stream and revision. */
  readonly sort: string | null;
  readonly order: 'asc' | 'desc';
  readonly offset: number;
  readonly limit: number;
  /** The rows say what happened to documents, so those of deleted ones are shown at once. Default: false. */
  readonly ofDeleted?: boolean;
}

/** A read model that the log has not been read for up to the checkpoint. */
export interface BuildingModel {
  readonly name: string;
  /** Up to where the log has been read for it. Null: not begun. */
  readonly after: Position | null;
  /** The checkpoint when it was created; events behind it reach the read model with those of the others. */
  readonly until: Position;
}

const NAME = /^[a-z][a-z0-9_]{0,39}$/;
/** The read model that the adapters bring along, and what every row has beside its own columns. */
const RESERVED: ReadonlySet<string> = new Set(['documents', 'stream', 'revision', 'place', 'organization', 'tags']);

/** @throws RangeError for a name that an engine cannot take */
export function checkTable({ name, columns, indexes = [] }: RowTable): void {
  const names = [name, ...Object.keys(columns)];
  const bad = names.find((one) => !NAME.test(one) || RESERVED.has(one));
  if (bad !== undefined) throw new RangeError(`'${bad}' cannot name a read model or a column of one`);
  const unknown = indexes.flat().find((column) => columns[column] === undefined);
  if (unknown !== undefined) throw new RangeError(`read model ${name} has no column '${unknown}' to index`);
}
