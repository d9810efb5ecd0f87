import type { RowsChange, StreamRow } from '../../../rows.ts';
import { toColumn } from '../../../text.ts';
import { columnField } from '../mappings.ts';
import { rowId, type StreamFloor, streamKey } from '../row-ids.ts';
import { termOf } from '../term.ts';
import { columnTerm } from '../terms.ts';
import type { BulkItem } from './bulk.ts';

/** What a change comes to. */
export interface RowItems {
  readonly items: readonly BulkItem[];
  /** Rows of a lower revision are to be removed that are known to a search alone. */
  readonly removeBelow: number | null;
}

/**
 * @param stored which rows of the stream count so far
 * @param now milliseconds since the epoch
 */
export function rowItems(change: RowsChange, stored: StreamFloor, index: string, now: number): RowItems {
  const key = streamKey(change.stream);
  const floor = Math.max(stored.floor, change.floor ?? -1);
  const rises = floor > stored.floor;
  const rows = change.rows.filter(({ revision }) => revision >= floor);
  const organization = change.rows[0]?.organization ?? '';
  const common = { index, routing: key, owner: { organization, id: change.stream, model: change.model } };
  const items: BulkItem[] = [];
  const places = new Map<number, number>();
  for (const row of rows) {
    const place = places.get(row.revision) ?? 0;
    places.set(row.revision, place + 1);
    const id = rowId(key, row.revision, place, floor);
    items.push({ ...common, id, version: row.revision, json: JSON.stringify(sourceOf(row, place)) });
  }
  const count = places.get(floor) ?? (rises ? 0 : stored.count);
  for (let place = count; place < stored.count; place++) {
    const id = rowId(key, stored.floor, place, stored.floor);
    items.push({ ...common, id, version: floor, json: JSON.stringify({ deletedAt: now }) });
  }
  const more = stored.more || rows.some(({ revision }) => revision > floor);
  if (rises || more !== stored.more || count !== stored.count) {
    const source = { stream: toColumn(change.stream), floor, count, more };
    items.push({ ...common, id: key, version: floor + 1, json: JSON.stringify(source) });
  }
  return { items, removeBelow: rises && stored.more ? floor : null };
}

function sourceOf(row: StreamRow, place: number) {
  const { stream, revision, organization, tags, values } = row;
  return {
    ...{ stream: toColumn(stream), revision, place, organization: toColumn(organization) },
    tags: [...new Set(tags)].map((tag) => termOf('tag', organization, tag)),
    ...columnsOf(values),
    row: JSON.stringify(row),
  };
}

function columnsOf(values: StreamRow['values']): Readonly<Record<string, string | number>> {
  const columns: Record<string, string | number> = {};
  for (const [name, value] of Object.entries(values)) {
    if (value !== null) columns[columnField(name)] = columnTerm(name, value);
  }
  return columns;
}
