import type { PastDocuments } from '#features/documents';
import type { Clock, Scope, TagSelection } from '#platform/kernel';
import { documentsAsOf, type KnownHits } from '#read-side/as-of';
import { toRow } from '#read-side/projections';
import { type DocumentRow, isWanted, scopeThen, type Unit, type ViewsReader } from '#read-side/views';
import { firstShown, readCut } from './cut-units.ts';
import type { SearchOptions } from './search-options.ts';

interface Sources {
  readonly views: ViewsReader;
  readonly past: PastDocuments;
  readonly known: KnownHits;
  readonly clock: Clock;
}

interface Options extends Pick<SearchOptions, 'filter' | 'filepath' | 'limit' | 'asOf'> {
  /** With `asOf`: one of these is one that it had then; the scope is about the tags of today. Absent: any. */
  readonly tagsThen?: TagSelection;
}

/** A document as it is shown, and as it is today. */
interface Listed {
  readonly shown: DocumentRow;
  readonly present: DocumentRow;
}

const NEWEST = { sort: 'createdAt', order: 'desc', offset: 0 } as const;
/** Stages of documents whose chunks the views have: a document is done before its row says so. */
const WITH_CHUNKS = ['embedding', 'indexing', 'done'] as const;

/** What the question `*` finds: the newest documents, each with its beginning. */
export class NewestDocuments {
  readonly #sources: Sources;

  constructor(sources: Sources) {
    this.#sources = sources;
  }

  /**
   * Returns the newest documents that have a chunk to show.
   * @param documentId only this one. Null: all
   * @throws TooManyChangedError
   */
  async find(
    scope: Scope,
    documentId: string | null,
    options: Options,
  ): Promise<readonly { readonly document: DocumentRow; readonly unit: Unit }[]> {
    const { views, known, clock } = this.#sources;
    const { filter, filepath, asOf = null } = options;
    const listed =
      asOf === null
        ? await this.#listed(scope, documentId, options)
        : await this.#listedThen(scope, documentId, { ...options, asOf });
    const then = asOf === null ? null : known.at(views, { scope, filter, filepath }, asOf);
    const past = await Promise.all(listed.map(({ present }) => then?.chunks(present) ?? null));
    const at = clock.now();
    const wanted = listed.flatMap(({ present }, i) =>
      past[i] ? [] : [{ document: present, ordinals: [firstShown(present, 'chunk', at)] }],
    );
    const units = await readCut(views, { scope, kind: 'chunk', at }, wanted);
    const beginnings = new Map(units.map(({ documentId: id, unit }) => [id, unit]));
    return listed.flatMap(({ shown, present }, i) => {
      const unit = past[i] ? past[i][0] : beginnings.get(present.id);
      return unit === undefined ? [] : [{ document: shown, unit }];
    });
  }

  async #listed(scope: Scope, documentId: string | null, options: Options): Promise<readonly Listed[]> {
    const { views } = this.#sources;
    const { filter, filepath, limit } = options;
    const query = { scope, filter, filepath };
    const rows =
      documentId === null
        ? (await views.list({ ...query, ...NEWEST, stages: WITH_CHUNKS, limit })).rows
        : (await views.documents(scope, [documentId])).filter((row) => isWanted(query, row));
    return rows.map((row) => ({ shown: row, present: row }));
  }

  async #listedThen(
    scope: Scope,
    documentId: string | null,
    options: Options & { readonly asOf: number },
  ): Promise<readonly Listed[]> {
    const rows = await (documentId === null
      ? this.#newestThen(scope, options)
      : this.#oneThen(scope, documentId, options));
    const ids = rows.map(({ id }) => id);
    const present = new Map((await this.#sources.views.documents(scope, ids)).map((row) => [row.id, row]));
    return rows.flatMap((shown) => {
      const row = present.get(shown.id);
      return row === undefined ? [] : [{ shown, present: row }];
    });
  }

  async #newestThen(
    scope: Scope,
    { filter, filepath, limit, asOf, tagsThen = 'all' }: Options & { readonly asOf: number },
  ): Promise<readonly DocumentRow[]> {
    const { views, past } = this.#sources;
    // What was done at another time, its history tells.
    const query = { scope, tagsThen, filter, filepath, asOf, stages: null, ...NEWEST, limit };
    return (await documentsAsOf(views, past, query)).documents.map(({ row }) => row);
  }

  async #oneThen(
    scope: Scope,
    id: string,
    { filter, filepath, asOf, tagsThen = 'all' }: Options & { readonly asOf: number },
  ): Promise<readonly DocumentRow[]> {
    const found = await this.#sources.past.find({ ...scope, access: 'read' }, id, asOf);
    if (!found.ok) return [];
    const row = toRow(found.value, 0);
    return isWanted({ scope: scopeThen({ scope, tagsThen }), filter, filepath }, row) ? [row] : [];
  }
}
