import type { DocumentContents, PastDocuments } from '#documents';
import type { Scope } from '#kernel';
import { toRow } from '#projections';
import { type DocumentQuery, type DocumentRow, isWanted, type UnitHit, type ViewsReader } from '#views';

/** What of a document a search knew at a time. */
interface Known {
  readonly row: DocumentRow;
  /** Ids. */
  readonly units: ReadonlySet<string>;
}

/** Leaves of the hits of a search what was known at a time. */
export class KnownHits {
  readonly #past: PastDocuments;
  readonly #contents: DocumentContents;

  constructor(past: PastDocuments, contents: DocumentContents) {
    this.#past = past;
    this.#contents = contents;
  }

  /**
   * The views compare times of rows; what a document had then, after it has changed since, only its stream tells. Such a
   * document has the details of then, and its tags and metadata of then are compared with the query too.
   * @param at milliseconds since the epoch
   */
  async of<T extends Pick<UnitHit, 'unit' | 'document'>>(
    views: Pick<ViewsReader, 'documents'>,
    query: DocumentQuery,
    hits: readonly T[],
    at: number,
  ): Promise<readonly T[]> {
    const sources = await sourcesOf(views, query.scope, hits);
    const known = new Map<string, Promise<Known | null>>();
    const knownOf = (id: string) => {
      const asked = known.get(id) ?? this.#known(query, id, at);
      known.set(id, asked);
      return asked;
    };
    const checked = await Promise.all(
      hits.map(async (hit): Promise<readonly T[]> => {
        const source = sources.get(sourceOf(hit.document));
        // Recorded directly.
        if (hit.document.memory !== undefined && hit.document.memory.documentId === undefined) return [hit];
        if (source === undefined || source.createdAt > at) return [];
        if (source.updatedAt <= at) return [hit];
        const then = await knownOf(source.id);
        if (hit.document.memory !== undefined) return then?.units.has(hit.document.id) ? [hit] : [];
        return then?.units.has(hit.unit.id) ? [{ ...hit, document: { ...hit.document, ...detailsOf(then.row) } }] : [];
      }),
    );
    return checked.flat();
  }

  async #known(query: DocumentQuery, id: string, at: number): Promise<Known | null> {
    const found = await this.#past.known({ ...query.scope, access: 'read' }, id, at);
    if (found === null) return null;
    const row = toRow(found.details, 0);
    if (!isWanted({ scope: query.scope, filter: query.filter, filepath: query.filepath }, row)) return null;
    const [chunks, memories] = await Promise.all([
      this.#contents.units(found.indexed, 'chunk'),
      this.#contents.units(found.indexed, 'memory'),
    ]);
    return { row, units: new Set([...chunks, ...memories].map((unit) => unit.id)) };
  }
}

const detailsOf = ({ tags, metadata, title, filepath, documentDate, customId, updatedAt, summary }: DocumentRow) => ({
  ...{ tags, metadata, title, filepath, documentDate, customId, updatedAt, summary },
});

const sourceOf = ({ id, memory }: DocumentRow): string => memory?.documentId ?? id;

/** Documents of hits, also of those of touched memories, by their ids. */
async function sourcesOf(
  views: Pick<ViewsReader, 'documents'>,
  scope: Scope,
  hits: readonly Pick<UnitHit, 'document'>[],
): Promise<ReadonlyMap<string, DocumentRow>> {
  const own = hits.flatMap(({ document }) => (document.memory === undefined ? [document] : []));
  const ids = [...new Set(hits.flatMap(({ document: { memory } }) => memory?.documentId ?? []))];
  const found = ids.length === 0 ? [] : await views.documents(scope, ids);
  return new Map([...found, ...own].map((row) => [row.id, row]));
}
