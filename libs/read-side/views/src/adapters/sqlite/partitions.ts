import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { OrganizationId } from '#platform/kernel';
import type { DocumentRow, UnitKind } from '../../documents.ts';
import { isOfLeftUnits } from '../../pieces.ts';
import { fromColumn, toColumn } from '../../text.ts';
import {
  firstNumber,
  lastNumber,
  OF_DOCUMENTS,
  OF_FORMER_PASSAGES,
  OF_FORMER_UNITS,
  OF_FORMERS,
  OF_MEMORIES,
  OF_PASSAGES,
  OF_PIECES,
  PLACES,
  placeOf,
} from './numbers.ts';
import { tagSet } from './rows.ts';

/** Partitions remembered from batch to batch. */
const REMEMBERED = 20_000;

/** The fields of a document that decide its partition. */
type PlacedDocument = Pick<DocumentRow, 'organization' | 'tags' | 'memory' | 'piece'>;

interface KnownPartition {
  readonly no: number;
  nextPlace: number;
}

/** What a batch changes in the counters of one partition. */
interface Difference {
  documents: number;
  /** A document was removed from it. */
  lost: boolean;
  chunkEntries: number;
  chunkBytes: number;
  memoryEntries: number;
  memoryBytes: number;
  memories: number;
  storedBytes: number;
  /** 0: no entry changed. */
  changed: number;
}

/** Finds or creates partitions, assigns numbers to documents and keeps the counters. For the writer. */
export class PartitionDirectory {
  readonly #known = new Map<string, KnownPartition>();
  readonly #differences = new Map<number, Difference>();
  readonly #find: StatementSync;
  readonly #tags: StatementSync;
  readonly #insert: StatementSync;
  readonly #insertTag: StatementSync;
  readonly #newest: StatementSync;
  readonly #count: StatementSync;
  readonly #removeTags: StatementSync;
  readonly #removeEmpty: StatementSync;
  readonly #alike: StatementSync;
  /** Numbers of partitions with memories, by one with the same tags. */
  readonly #knownAlike = new Map<number, readonly number[]>();

  constructor(db: DatabaseSync) {
    this.#find = db.prepare(
      'SELECT no FROM partitions WHERE organization = ? AND tags = ? AND direct = ? ORDER BY no DESC LIMIT 1',
    );
    this.#tags = db.prepare('SELECT tags, direct FROM partitions WHERE no = ?');
    this.#insert = db.prepare('INSERT INTO partitions (organization, tags, direct) VALUES (?, ?, ?)');
    this.#insertTag = db.prepare('INSERT INTO partition_tags (organization, tag, partition) VALUES (?, ?, ?)');
    this.#newest = db.prepare('SELECT max(no) AS no FROM documents WHERE no BETWEEN ? AND ?');
    this.#count = db.prepare(
      `UPDATE partitions SET documents = documents + ?, chunk_entries = chunk_entries + ?, chunk_bytes = chunk_bytes + ?,
        memory_entries = memory_entries + ?, memory_bytes = memory_bytes + ?, memories = memories + ?,
        stored_bytes = stored_bytes + ?, changed = max(changed, ?) WHERE no = ?`,
    );
    this.#removeEmpty = db.prepare(
      'DELETE FROM partitions WHERE no = ? AND documents = 0 RETURNING organization, tags, direct',
    );
    this.#alike = db.prepare(
      `SELECT other.no FROM partitions AS one JOIN partitions AS other INDEXED BY partitions_by_tags
          ON other.organization = one.organization AND other.tags = one.tags
        WHERE one.no = ? AND one.direct <= ${OF_PASSAGES} AND other.direct <= ${OF_PASSAGES}`,
    );
    this.#removeTags = db.prepare('DELETE FROM partition_tags WHERE organization = ? AND tag = ? AND partition = ?');
  }

  /** Returns the partitions of the same tags that hold memories, this one included; none for one without memories. */
  alike(partition: number): readonly number[] {
    const known = this.#knownAlike.get(partition);
    if (known !== undefined) return known;
    const alike = (this.#alike.all(partition) as unknown as { no: number }[]).map(({ no }) => no);
    if (this.#knownAlike.size >= REMEMBERED) this.#knownAlike.clear();
    this.#knownAlike.set(partition, alike);
    return alike;
  }

  /** Returns a number for a new document with these tags. */
  place(row: PlacedDocument): number {
    const { organization, tags } = row;
    const set = tagSet(tags);
    const direct = directOf(row);
    if (set.length === 0) throw new RangeError('a document has at least one tag');
    const partition = this.#partition(organization, set, direct);
    if (partition.nextPlace < PLACES) return firstNumber(partition.no) + partition.nextPlace++;
    // All 33 million numbers were assigned: the same tags continue in another partition.
    const next = this.#create(organization, set, direct);
    return firstNumber(next.no) + next.nextPlace++;
  }

  /** Whether a document of this partition may stay in it with these tags. */
  fits(partition: number, row: PlacedDocument): boolean {
    const { organization, tags } = row;
    const set = tagSet(tags);
    const direct = directOf(row);
    if (this.#known.get(partitionKey(organization, set, direct))?.no === partition) return true;
    const found = this.#tags.get(partition) as { tags: string; direct: number } | undefined;
    return found?.tags === JSON.stringify(set) && found.direct === direct;
  }

  added(partition: number): void {
    this.#difference(partition).documents += 1;
  }

  removed(partition: number): void {
    const difference = this.#difference(partition);
    difference.documents -= 1;
    difference.lost = true;
  }

  entries(partition: number, kind: UnitKind, added: number, bytes: number): void {
    const difference = this.#difference(partition);
    if (kind === 'chunk') {
      difference.chunkEntries += added;
      difference.chunkBytes += bytes;
    } else {
      difference.memoryEntries += added;
      difference.memoryBytes += bytes;
    }
  }

  /** @param added units of this kind; negative: removed */
  memories(partition: number, added: number): void {
    this.#difference(partition).memories += added;
  }

  /** @param added bytes; negative: removed */
  stored(partition: number, added: number): void {
    if (added !== 0) this.#difference(partition).storedBytes += added;
  }

  changed(partition: number, change: number): void {
    this.#difference(partition).changed = change;
  }

  /** Writes the counters of the batch and removes partitions that it emptied. */
  flush(): void {
    for (const [no, d] of this.#differences) {
      const entries = [
        d.chunkEntries,
        d.chunkBytes,
        d.memoryEntries,
        d.memoryBytes,
        d.memories,
        d.storedBytes,
      ] as const;
      this.#count.run(d.documents, ...entries, d.changed, no);
      if (d.lost) this.#remove(no);
    }
    this.#differences.clear();
    if (this.#known.size > REMEMBERED) this.#known.clear();
  }

  /** Forgets the state of a batch that was rolled back. */
  reset(): void {
    this.#differences.clear();
    this.#known.clear();
    this.#knownAlike.clear();
  }

  #difference(partition: number): Difference {
    let difference = this.#differences.get(partition);
    if (difference === undefined) {
      difference = {
        documents: 0,
        lost: false,
        chunkEntries: 0,
        chunkBytes: 0,
        memoryEntries: 0,
        memoryBytes: 0,
        memories: 0,
        storedBytes: 0,
        changed: 0,
      };
      this.#differences.set(partition, difference);
    }
    return difference;
  }

  #partition(organization: OrganizationId, set: readonly string[], direct: number): KnownPartition {
    const key = partitionKey(organization, set, direct);
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const found = this.#find.get(toColumn(organization), JSON.stringify(set), direct) as { no: number } | undefined;
    if (found === undefined) return this.#create(organization, set, direct);
    const newest = this.#newest.get(firstNumber(found.no), lastNumber(found.no)) as { no: number | null };
    const partition = { no: found.no, nextPlace: newest.no === null ? 0 : placeOf(newest.no) + 1 };
    this.#known.set(key, partition);
    return partition;
  }

  #create(organization: OrganizationId, set: readonly string[], direct: number): KnownPartition {
    const owner = toColumn(organization);
    const no = Number(this.#insert.run(owner, JSON.stringify(set), direct).lastInsertRowid);
    for (const tag of set) this.#insertTag.run(owner, toColumn(tag), no);
    this.#knownAlike.clear();
    const partition = { no, nextPlace: 0 };
    this.#known.set(partitionKey(organization, set, direct), partition);
    return partition;
  }

  #remove(no: number): void {
    const removed = this.#removeEmpty.get(no) as { organization: string; tags: string; direct: number } | undefined;
    if (removed === undefined) return;
    this.#knownAlike.clear();
    const set = JSON.parse(removed.tags) as string[];
    for (const tag of set) this.#removeTags.run(removed.organization, toColumn(tag), no);
    this.#known.delete(partitionKey(fromColumn(removed.organization) as OrganizationId, set, removed.direct));
  }
}

const partitionKey = (organization: OrganizationId, set: readonly string[], direct: number): string =>
  JSON.stringify([organization, set, direct]);

function directOf(row: PlacedDocument): number {
  const { memory, piece } = row;
  const isDirect = memory?.documentId === undefined;
  if (isOfLeftUnits(row)) return OF_FORMER_UNITS;
  if (piece?.isFormer) return isDirect ? OF_FORMERS : OF_FORMER_PASSAGES;
  if (piece !== undefined) return OF_PIECES;
  if (memory === undefined) return OF_DOCUMENTS;
  return isDirect ? OF_MEMORIES : OF_PASSAGES;
}
