import type { DatabaseSync, StatementSync } from 'node:sqlite';
import {
  ENTRY_CANDIDATE,
  ENTRY_COUNTED,
  ENTRY_SKIPPED,
  prepareQuery,
  type RankedUnit,
  Scanner,
  TermFrequencies,
  weightsOf,
} from '#features/search';
import type { DocumentRow, Unit, UnitKind } from '../../documents.ts';
import { vectorOfQuery } from '../../one-space.ts';
import { asOfDocument } from '../../pieces.ts';
import type { HeldSpace, TermQuery, UnitHit, UnitSearchQuery } from '../../queries.ts';
import { type BaseHit, consideredFor, rankedHits } from '../../ranked-hits.ts';
import { joinedHits, type OneSpaceSearch, searchesOf } from '../../several-spaces.ts';
import { toColumn } from '../../text.ts';
import { isWanted } from '../../wanted.ts';
import type { DocumentTable } from './documents.ts';
import { EntryReader, free } from './entries.ts';
import { allOf, type Sql } from './filters.ts';
import type { MovedRows, Selection } from './former-tags.ts';
import { HiddenByTime } from './hidden-by-time.ts';
import { LanguageReader } from './languages.ts';
import { firstNumber, lastNumber, partitionOf } from './numbers.ts';
import { PartitionSpaces } from './partition-spaces.ts';
import { type EntrySource, ResidentEntries } from './resident.ts';
import { entriesOf, type Partition, restrictionOf, searchPartitions } from './scope.ts';
import { candidates, type ScanSlice } from './segment.ts';
import { SpaceFilter } from './space-filter.ts';

/** Number of a query's space that no document has. */
const UNKNOWN_SPACE = -1;

/** Documents that may be hits: those that are wanted (null: all), without inactive ones. */
interface AllowedRows {
  readonly wanted: ReadonlySet<number> | null;
  readonly inactive: ReadonlySet<number>;
  /** Of those whose tags have changed, the ones without a tag of the query do not even count. */
  readonly moved: MovedRows | null;
}

/** Of a partition with more rows for each that counts, the others are not read. */
const MOST_SKIPPED = 8;

/**
 * Searches units exactly: the scanner reads every entry of the partitions in scope, resident ones from memory and the
 * others from the tables. Every call has to run inside one read transaction.
 */
export class UnitSearch {
  readonly resident: ResidentEntries;
  readonly #db: DatabaseSync;
  readonly #documents: DocumentTable;
  readonly #readers: Readonly<Record<UnitKind, EntryReader>>;
  readonly #scanner = new Scanner();
  readonly #findSpace: StatementSync;
  readonly #spaces: PartitionSpaces;
  readonly #spaceFilter: SpaceFilter;
  readonly #languages: LanguageReader;
  readonly #hidden: HiddenByTime;
  readonly #findPieces: StatementSync;

  constructor(db: DatabaseSync, documents: DocumentTable, cacheBytes: number) {
    this.#db = db;
    this.#documents = documents;
    this.#readers = { chunk: new EntryReader(db, 'chunk'), memory: new EntryReader(db, 'memory') };
    this.resident = new ResidentEntries(db, this.#readers, cacheBytes);
    this.#spaces = new PartitionSpaces(db);
    this.#spaceFilter = new SpaceFilter(db);
    this.#languages = new LanguageReader(db);
    this.#findSpace = db.prepare('SELECT no FROM spaces WHERE name = ?');
    this.#hidden = new HiddenByTime(db);
    this.#findPieces = db.prepare('SELECT no FROM documents WHERE organization = ? AND part_of = ?');
    this.#findPieces.setReturnArrays(true);
  }

  search(query: UnitSearchQuery, selection: Selection): UnitHit[] {
    const partitions = selection.partitions.filter((partition) => entriesOf(partition, query.kind).entries > 0);
    if (partitions.length === 0 || query.limit <= 0) return [];
    const searches = searchesOf(this.#inHeldSpaces(query, partitions));
    return joinedHits(
      searches,
      searches.map((search) => this.#searchSpace(search, { ...selection, partitions })),
    );
  }

  /** Leaves out the vectors of spaces, but the first one, that no document has. */
  #inHeldSpaces(query: UnitSearchQuery, partitions: readonly Partition[]): UnitSearchQuery {
    const [first, ...others] = query.vectors;
    if (first === undefined || others.length === 0) return query;
    const names = others.map(({ space }) => space);
    const held = this.heldSpaces(partitions, names).map(({ space }) => space);
    return { ...query, vectors: [first, ...others.filter(({ space }) => held.includes(space))] };
  }

  /** Returns those of some spaces of which documents in the partitions have vectors. */
  heldSpaces(partitions: readonly Partition[], spaces: readonly string[]): readonly HeldSpace[] {
    return spaces.flatMap((space) => {
      const no = this.#space(space);
      const isOwn = partitions.some((partition) => this.#spaces.hasOwn(partition, no));
      return isOwn || partitions.some((partition) => this.#spaces.hasSecond(partition, no)) ? [{ space, isOwn }] : [];
    });
  }

  #searchSpace({ query, candidates: condition }: OneSpaceSearch, { partitions, moved }: Selection): UnitHit[] {
    const wanted = this.#wanted(query, condition, partitions);
    if (wanted?.size === 0) return [];
    const inactive = this.#hidden.documents(query, partitions);

    const vector = vectorOfQuery(query);
    const prepared = prepareQuery(query.question, vector?.values ?? null, {
      core: vector?.core ?? null,
      languages: this.#languages.of(partitions).map(({ language }) => language),
    });
    this.#scanner.begin(prepared);
    const space = vector && this.#space(vector.space);
    const load = this.resident.hasRoomFor(partitions, query.kind);
    const source = { kind: query.kind, space, load, isOneOfSeveral: condition !== null };
    for (const partition of partitions) this.#scan(partition, source, { wanted, inactive, moved });
    const weights = weightsOf(query.kind, vector?.space ?? null);
    const leftOut = this.#hidden.units(query, partitions);
    const best = this.#scanner.finish({
      ...{ limit: consideredFor({ query, prepared }), weights },
      ...(leftOut.size > 0 && { leftOut: (no: number) => leftOut.get(no) }),
    });
    return rankedHits(query, this.#hits(query, best));
  }

  /** Returns in how many units of the partitions each term occurs. */
  termFrequencies({ kind, terms }: Omit<TermQuery, 'scope'>, scoped: readonly Partition[]): number[] {
    const frequencies = new TermFrequencies(terms);
    const partitions = scoped.filter((partition) => entriesOf(partition, kind).entries > 0);
    const load = this.resident.hasRoomFor(partitions, kind);
    for (const partition of partitions) {
      for (const { bytes, documents, states } of this.#slices(partition, { kind, space: null, load })) {
        frequencies.add(bytes, documents.length, (entry) => states[entry] === ENTRY_CANDIDATE);
      }
    }
    return [...frequencies.counts];
  }

  /** Returns the numbers of the documents that filter, path and id allow. Null: all. */
  #wanted(
    query: UnitSearchQuery,
    condition: OneSpaceSearch['candidates'],
    partitions: readonly Partition[],
  ): Set<number> | null {
    const { holds = 'both' } = query;
    const held = searchPartitions(partitions, holds);
    const conditions: Sql[] = [];
    if (condition !== null) conditions.push(this.#spaceFilter.of(condition));
    const restriction = restrictionOf(query);
    if (restriction !== null) conditions.push(restriction);
    if (query.documentId !== null) {
      const no = this.#documents.numberOf(query.scope.organization, query.documentId);
      if (no === null || !partitions.some((partition) => partition.no === partitionOf(no))) return new Set();
      const pieces = this.#findPieces.all(toColumn(query.scope.organization), toColumn(query.documentId));
      const own = [no, ...(pieces as unknown as [number][]).flat()];
      if (conditions.length === 0 && held.length === partitions.length) return new Set(own);
      conditions.push({ sql: 'no IN (SELECT value FROM json_each(?))', params: [JSON.stringify(own)] });
    }
    if (conditions.length === 0 && held.length === partitions.length) return null;

    const { sql, params } = allOf(conditions);
    const statement = this.#db.prepare(`SELECT no FROM documents WHERE no BETWEEN ? AND ? AND ${sql}`);
    statement.setReturnArrays(true);
    const numbers = new Set<number>();
    for (const partition of held) {
      const rows = statement.all(firstNumber(partition.no), lastNumber(partition.no), ...params);
      for (const [no] of rows as unknown as [number][]) numbers.add(no);
    }
    return numbers;
  }

  #scan(partition: Partition, source: EntrySource, allowed: AllowedRows): void {
    const only = allowed.moved?.only(partition) ?? null;
    const isSparse = only !== null && only.size * MOST_SKIPPED < entriesOf(partition, source.kind).entries;
    const slices = isSparse ? this.#single(only, source) : this.#slices(partition, source);
    for (const { bytes, documents, states } of slices) {
      this.#scanner.addMany(bytes, documents, narrowed(states, documents, allowed));
    }
  }

  *#single(numbers: Iterable<number>, { kind, space }: EntrySource): Generator<ScanSlice> {
    for (const no of numbers) {
      const found = this.#readers[kind].one(no, space);
      if (found !== null) yield { bytes: found.entry, documents: Float64Array.of(no), states: candidates(1) };
    }
  }

  *#slices(partition: Partition, source: EntrySource): Generator<ScanSlice> {
    const { kind, space } = source;
    const segment = this.resident.segment(partition, source);
    if (segment !== null) return yield* segment.slices;
    for (const { bytes, documents } of this.#readers[kind].slices(partition.no, entriesOf(partition, kind), space)) {
      yield { bytes, documents, states: candidates(documents.length) };
      free(bytes);
    }
  }

  /** Reads the hits from the tables and drops those that do not match the query. */
  #hits(query: UnitSearchQuery, ranked: readonly RankedUnit[]): BaseHit[] {
    const rows = new Map<number, DocumentRow | null>();
    return ranked.flatMap(({ slot, ordinal, score, evidence, inputs }) => {
      let document = rows.get(slot);
      if (document === undefined) {
        document = this.#documents.row(slot);
        rows.set(slot, document);
      }
      if (document === null || !isWanted(query, document)) return [];
      if (query.documentId !== null && (document.piece?.documentId ?? document.id) !== query.documentId) return [];
      const unit: Unit | null = this.#documents.unit(slot, query.kind, ordinal);
      return unit === null ? [] : [asOfDocument({ unit, score, evidence, document, inputs })];
    });
  }

  #space(name: string): number {
    return (this.#findSpace.get(toColumn(name)) as { no: number } | undefined)?.no ?? UNKNOWN_SPACE;
  }
}

/** Restricts the candidates; the other entries still count in the statistics, unless they have none of the tags. */
function narrowed(states: Uint8Array, documents: Float64Array, { wanted, inactive, moved }: AllowedRows): Uint8Array {
  if (wanted === null && inactive.size === 0 && moved === null) return states;
  const isAllowed = (no: number) => (wanted === null || wanted.has(no)) && !inactive.has(no);
  return states.map((state, i) => {
    const no = documents[i] as number;
    if (moved?.counts(no) === false) return ENTRY_SKIPPED;
    return state === ENTRY_CANDIDATE && !isAllowed(no) ? ENTRY_COUNTED : state;
  });
}
