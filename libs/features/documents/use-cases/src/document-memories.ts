import { Inject, Injectable } from '@nestjs/common';
import { DocumentRepository, loadMemories } from '#features/documents';
import { type VersionInDocument, versionsInDocument } from '#features/memories';
import { CLOCK, type Clock, type Scope } from '#platform/kernel';
import { type DocumentRow, leftOutOf, type Unit, type ViewsReader } from '#read-side/views';

/** A document with its memories. */
export interface DocumentWithMemories {
  readonly row: DocumentRow;
  /** All versions of each, the memories in the order of the text. */
  readonly memories: readonly VersionInDocument[];
}

/** Most memories of one answer, some 15 MB of JSON; the last documents then have fewer, or none. */
const MOST_MEMORIES = 20_000;
/** Documents whose memories are read at once: a read must not delay searches. */
const AT_ONCE = 50;

/** Reads the memories of documents from the views, and what callers did with them from the log. */
@Injectable()
export class DocumentMemories {
  constructor(
    private readonly documents: DocumentRepository,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  async of(views: ViewsReader, scope: Scope, rows: readonly DocumentRow[]): Promise<readonly DocumentWithMemories[]> {
    const units = await unitsOf(views, scope, rows);
    const touched = await loadMemories(this.documents, scope.organization, idsOfTouched(rows, units));
    const now = this.clock.now();
    return rows.map((row) => ({
      row,
      memories: (units.get(row.id) ?? []).flatMap((unit) =>
        versionsInDocument({ unit, document: row }, touched.get(unit.id)?.memory, { now, until: now }),
      ),
    }));
  }
}

/** By the ids of the documents. */
async function unitsOf(
  views: ViewsReader,
  scope: Scope,
  rows: readonly DocumentRow[],
): Promise<ReadonlyMap<string, readonly Unit[]>> {
  const units = new Map<string, Unit[]>(rows.map(({ id }) => [id, []]));
  let left = MOST_MEMORIES;
  for (let from = 0; from < rows.length && left > 0; from += AT_ONCE) {
    const documentIds = rows.slice(from, from + AT_ONCE).map(({ id }) => id);
    const found = await views.unitsOf(scope, { documentIds, kind: 'memory', limit: left });
    for (const { documentId, unit } of found) units.get(documentId)?.push(unit);
    left -= found.length;
  }
  return units;
}

/** They are among the memories that searches for their document leave out. */
function idsOfTouched(rows: readonly DocumentRow[], units: ReadonlyMap<string, readonly Unit[]>): readonly string[] {
  return rows.flatMap(({ id, cuts }) => {
    const left = new Set(leftOutOf(cuts?.leftOut ?? [], 'memory'));
    return (units.get(id) ?? []).filter(({ ordinal }) => left.has(ordinal)).map((unit) => unit.id);
  });
}
