import { analysedLanguage } from '#features/search';
import type { OrganizationId } from '#platform/kernel';
import type { DocumentChange, DocumentRow, Piece, UnitChanges, UnitKind, UnitSet } from '../../../documents.ts';
import { secondSpaceOf } from '../../../one-space.ts';
import { pieceChanges } from '../../../pieces.ts';
import { combinedUnits } from '../../../unit-changes.ts';
import {
  analysedIn,
  type DocumentSource,
  documentSource,
  NO_UNITS,
  placedAs,
  rowFrom,
  type Tombstone,
  type UnitCounts,
  type UnitExtent,
} from '../documents.ts';
import { documentKey, filterTerms, secondSpaceTerms } from '../terms.ts';
import { type StoredUnit, storedSources, type UnitSource, unitId, unitRow, unitSources } from '../units.ts';
import type { BulkItem } from './bulk.ts';

/** All changes of one document in one batch. */
export interface PendingChange {
  readonly key: string;
  readonly organization: string;
  readonly id: string;
  readonly revision: number;
  /** Null: deleted. */
  readonly row: DocumentRow | null;
  /** Null: removed. Undefined: unchanged. */
  readonly units: UnitSet | UnitChanges | null | undefined;
  /** All that the cuts of the row name. Undefined: none. */
  readonly pieces?: readonly Piece[] | undefined;
}

/** A pending change whose unit changes were merged with the units in the index. */
export interface ResolvedChange extends PendingChange {
  readonly units: UnitSet | null | undefined;
}

/** A document in the index, whether searches find it yet or not. */
export interface StoredDocument {
  readonly version: number;
  /** Null: a tombstone. */
  readonly document: (UnitCounts & Pick<DocumentSource, 'placedAs' | 'facts'>) | null;
  /** Unit rows that there are, if it may be more than the document counts. */
  readonly extent?: UnitExtent | undefined;
}

/** Merges the changes of each document in a batch. */
export function foldChanges(changes: readonly DocumentChange[]): Map<string, PendingChange> {
  const pending = new Map<string, PendingChange>();
  for (const change of changes) {
    const next = pendingOf(change);
    const before = pending.get(next.key);
    if (before !== undefined && before.revision > next.revision) continue;
    pending.set(next.key, { ...next, units: followed(before?.units, next.units) });
  }
  return pending;
}

function followed(before: PendingChange['units'], next: PendingChange['units']): PendingChange['units'] {
  if (next === undefined) return before;
  return next !== null && 'put' in next ? combinedUnits(before, next) : next;
}

export function pendingOf(change: DocumentChange): PendingChange {
  if (change.kind === 'delete') {
    const { organization, id, revision } = change;
    return { key: documentKey(organization, id), organization, id, revision, row: null, units: null };
  }
  const { organization, id, revision } = change.row;
  return {
    key: documentKey(organization, id),
    organization,
    id,
    revision,
    row: change.row,
    units: change.units,
    pieces: change.pieces,
  };
}

/** Returns the changes of the pieces of a document. @param json its stored row. Null: it has none */
export function piecesOf(
  { organization, id, revision, row, pieces }: PendingChange,
  json: string | null,
): DocumentChange[] {
  const change: DocumentChange =
    row === null
      ? { kind: 'delete', organization: organization as OrganizationId, id, revision }
      : { kind: 'upsert', row, ...(pieces && { pieces }) };
  return pieceChanges(change, json === null ? undefined : rowFrom(json).cuts);
}

/** Whether the unit rows repeat something that changes, and have to be read to be written again. */
export function movesUnits({ row, units }: PendingChange, stored: StoredDocument | undefined): boolean {
  const document = stored?.document;
  if (!document || row === null || units !== undefined || countOf(document) === 0) return false;
  return document.placedAs !== placedAs(row);
}

const countOf = ({ chunks, memories }: UnitExtent): number => chunks + memories;

/** Returns the ids of all unit rows of a document. */
export function unitIds(key: string, { chunks, memories }: UnitExtent): string[] {
  return [...idsFrom(key, 'chunk', 0, chunks), ...idsFrom(key, 'memory', 0, memories)];
}

/** Returns the ids of the rows that a document has beyond the units that it keeps. */
export function surplusIds(key: string, kept: UnitExtent, rows: UnitExtent): string[] {
  return [...idsFrom(key, 'chunk', kept.chunks, rows.chunks), ...idsFrom(key, 'memory', kept.memories, rows.memories)];
}

function idsFrom(key: string, kind: UnitKind, from: number, to: number): string[] {
  return Array.from({ length: Math.max(0, to - from) }, (_, i) => unitId(key, kind, from + i));
}

export interface Targets {
  readonly documents: string;
  readonly units: string;
}

/**
 * Yields the rows of a change.
 * @param moved the unit rows in the index, if `movesUnits`
 * @param now milliseconds since the epoch
 */
export function* itemsOf(
  pending: ResolvedChange,
  stored: StoredDocument | undefined,
  moved: readonly StoredUnit[],
  { documents, units }: Targets,
  now: number,
): Generator<BulkItem> {
  const { key, revision, row } = pending;
  const common = { routing: key, version: revision, owner: { organization: pending.organization, id: pending.id } };
  const before = stored?.document ?? NO_UNITS;
  const rows = rowsOf(stored);
  const tombstone = tombstoneOf(now);
  const gone = (ids: readonly string[]) => ids.map((id) => ({ ...common, index: units, id, json: tombstone }));
  if (row === null) {
    yield* gone(unitIds(key, rows));
    yield { ...common, index: documents, id: key, json: tombstone };
    return;
  }
  const place = filterTerms(row);
  const second = secondSpaceTerms(pending.units && !pending.units.second ? null : secondSpaceOf(row));
  const sources = pending.units ? kindsOf(row, pending.units) : pending.units === null ? NOTHING : null;
  const placeJson = JSON.stringify({ ...place, facts: [...place.facts, ...second] });
  for (const source of sources?.all ?? storedSources(pending.organization, moved)) {
    const id = unitId(key, source.kind, source.ordinal);
    yield { ...common, index: units, id, json: unitRow(source, placeJson, revision) };
  }
  if (sources !== null) yield* gone(surplusIds(key, sources, rows));
  const counts = countsAfter(sources, moved, before, revision);
  const json = JSON.stringify(documentSource(row, place, counts, languageAfter(pending, stored)));
  yield { ...common, index: documents, id: key, json };
}

/** Returns how many unit rows a document has. */
export function rowsOf(stored: StoredDocument | undefined): UnitExtent {
  const counts = stored?.document ?? NO_UNITS;
  const most = (kind: keyof UnitExtent) => Math.max(counts[kind], stored?.extent?.[kind] ?? 0);
  return { chunks: most('chunks'), memories: most('memories') };
}

export const tombstoneOf = (now: number): string => JSON.stringify({ deletedAt: now } satisfies Tombstone);

function countsAfter(
  sources: UnitsByKind | null,
  moved: readonly StoredUnit[],
  { chunks, memories, unitsRevision }: UnitCounts,
  revision: number,
): UnitCounts {
  if (sources !== null) return { chunks: sources.chunks, memories: sources.memories, unitsRevision: revision };
  return { chunks, memories, unitsRevision: moved.length > 0 ? revision : unitsRevision };
}

/** Units that stay are still analysed as they were, though a row of a later version may have another language. */
function languageAfter({ units }: ResolvedChange, stored: StoredDocument | undefined): string | null {
  if (units !== undefined) return analysedLanguage(units?.language ?? null);
  return stored?.document ? analysedIn(stored.document) : null;
}

interface UnitsByKind extends UnitExtent {
  readonly all: Iterable<UnitSource>;
}

const NOTHING: UnitsByKind = { all: [], chunks: 0, memories: 0 };

function kindsOf(row: DocumentRow, set: UnitSet): UnitsByKind {
  return { ...extentOf(set), all: sourcesOf(row, set) };
}

/** Returns the numbers of units. */
export function extentOf({ units }: UnitSet): UnitExtent {
  const chunks = units.reduce((sum, { kind }) => sum + (kind === 'chunk' ? 1 : 0), 0);
  return { chunks, memories: units.length - chunks };
}

/** Yields the rows of all units, by kind; none, if the units of one kind are too large together. @throws as `unitSources` */
export function* sourcesOf(row: DocumentRow, set: UnitSet): Generator<UnitSource> {
  const kinds = (['chunk', 'memory'] as const).map((kind) => unitSources(row, set, kind));
  const firsts = kinds.map((sources) => sources.next());
  for (const [i, first] of firsts.entries()) {
    if (first.done) continue;
    yield first.value;
    yield* kinds[i] as Generator<UnitSource>;
  }
}
