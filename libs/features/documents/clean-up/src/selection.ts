import {
  documentStream,
  foldDocument,
  initialState,
  isOpening,
  OPENINGS,
  parseDocumentStream,
  type RunningDeletion,
  type SeenDocument,
} from '#features/documents';
import type { OrganizationId, Scope } from '#platform/kernel';
import { type EventStore, type Position, readPages } from '#ports/event-store';
import { isWanted, type ViewsReader } from '#read-side/views';

const PAGE = 1_000;
/** Events after which a document may carry other tags or another filepath than the views showed before. */
const CHANGES = [...OPENINGS, 'DetailsChanged'];

export interface SelectionOptions {
  readonly store: EventStore;
  readonly reader: Pick<ViewsReader, 'list'>;
}

/** Deletes documents, as the views show them where they do. Returns whether the views no longer show them. */
export type DeletePage = (documents: readonly (SeenDocument | string)[]) => Promise<boolean>;

/**
 * Calls `deletePage` for the documents that have the tags and the filepath of a deletion at a position of the log, page by
 * page, at least once each. The views must have reached the position: they say which documents to look at, and the log says
 * what has changed since.
 */
export async function deleteSelected(
  { store, reader }: SelectionOptions,
  deletion: RunningDeletion,
  until: Position,
  deletePage: DeletePage,
  signal: AbortSignal,
): Promise<void> {
  const { tags, filepath } = deletion;
  const organization = deletion.organization as OrganizationId;
  const scope: Scope = { organization, tags: tags.length === 0 ? 'all' : tags };
  const query = { scope, filepath, filter: null };
  const changes = new LaterChanges(store, organization, until);
  /** Documents that the views show and that were looked at. */
  const seen = new Set<string>();

  const isSelected = async (id: string, change: LaterChange | undefined): Promise<boolean> => {
    if (change !== 'changed') return change === undefined;
    let state = initialState;
    for (const event of (await store.readStream(documentStream(organization, id))).events) {
      if (store.compare(event.position, until) <= 0) state = foldDocument(state, event);
    }
    if (state.status !== 'live') return false;
    const { memory: _, ...row } = state;
    return isWanted(query, row);
  };

  async function pass(): Promise<boolean> {
    let found = false;
    for (let offset = 0; !signal.aborted; ) {
      const { rows } = await reader.list({
        ...{ ...query, holds: 'sources', stages: null },
        ...{ sort: 'createdAt', order: 'asc', offset, limit: PAGE },
      });
      const changed = await changes.read();
      const wanted: SeenDocument[] = [];
      for (const row of rows) {
        const { id } = row;
        if (seen.has(id)) continue;
        seen.add(id);
        if (await isSelected(id, changed.get(id))) wanted.push(row);
      }
      const areGone = wanted.length === 0 || (await deletePage(wanted));
      found ||= wanted.length > 0;
      offset += rows.length - (areGone ? wanted.length : 0);
      if (rows.length < PAGE) break;
    }
    return found;
  }

  // A row may move to an earlier page while another is removed, so the list is read until it shows nothing new.
  while (!signal.aborted && (await pass()));
  const moved: string[] = [];
  for (const [id, change] of await changes.read()) {
    if (!seen.has(id) && (await isSelected(id, change))) moved.push(id);
  }
  if (moved.length > 0 && !signal.aborted) await deletePage(moved);
}

type LaterChange = 'added' | 'changed';

/** Documents that were added or changed after a position. */
class LaterChanges {
  readonly #store: EventStore;
  readonly #filter: Parameters<EventStore['readAll']>[0]['filter'];
  readonly #changes = new Map<string, LaterChange>();
  #after: Position | null;

  constructor(store: EventStore, organization: OrganizationId, after: Position) {
    this.#store = store;
    this.#filter = { types: CHANGES, organization };
    this.#after = after;
  }

  async read(): Promise<ReadonlyMap<string, LaterChange>> {
    const options = { after: this.#after, limit: PAGE, filter: this.#filter, envelopesOnly: true };
    for await (const { events, position } of readPages(this.#store, options)) {
      for (const { stream, envelope } of events) {
        const name = parseDocumentStream(stream);
        if (name === null || this.#changes.has(name.id)) continue;
        this.#changes.set(name.id, isOpening(envelope.type) ? 'added' : 'changed');
      }
      this.#after = position;
    }
    return this.#changes;
  }
}
