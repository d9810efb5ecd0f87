import { Inject } from '@nestjs/common';
import { type IQueryHandler, QueryHandler } from '@nestjs/cqrs';
import pLimit from 'p-limit';
import { DocumentRepository, loadMemory } from '#features/documents';
import { versionViews, viewOfPassage, withPassage } from '#features/memories';
import { CLOCK, type Clock, pastScopeOf, type Scope } from '#platform/kernel';
import { type ListedPastMemory, PastMemories } from '#read-side/as-of';
import { CurrentViews, type ViewsReader } from '#read-side/views';
import { AT_ONCE } from '../memory-finder.ts';
import { type ListedMemory, ListMemories } from './list-memories.query.ts';
import { type Entry, ownDocument, type Sources, sourcesOf } from './sources.ts';

interface Listing {
  readonly passages: ReadonlyMap<string, Entry>;
  readonly sources: Sources;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

@QueryHandler(ListMemories)
export class ListMemoriesHandler implements IQueryHandler<ListMemories> {
  constructor(
    private readonly views: CurrentViews,
    private readonly past: PastMemories,
    private readonly documents: DocumentRepository,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  async execute({ principal, tags, options: { page, includeInactive, validAt, asOf, ...options } }: ListMemories) {
    const { scope, tagsThen = 'all' } = pastScopeOf(principal, tags, asOf);
    const now = this.clock.now();
    const query = { ...options, scope, offset: (page - 1) * options.limit, ...(!includeInactive && { activeAt: now }) };
    const views = await this.views.read();
    if (asOf !== null) {
      const found = await this.past.list(views, { ...query, tagsThen, asOf, now }, query);
      const listed = await pLimit(AT_ONCE).map(found.memories, (entry) => this.#listedThen(entry, { asOf, now }));
      return { memories: listed.flat(), total: found.total };
    }
    const { memories, total } = await views.memories({
      ...{ ...query, filepath: null, cutAt: now },
      ...(validAt == null ? { isGrouped: true } : { validAt }),
    });
    const passages = await passagesOf(views, scope, memories);
    const sources =
      validAt == null ? await sourcesOf(views, scope, memories, now) : ({ document }: Entry) => ownDocument(document);
    const listed = await pLimit(AT_ONCE).map(memories, (entry) =>
      this.#listed(scope, entry, { passages, sources, now }),
    );
    return { memories: listed.flat(), total };
  }

  async #listed(scope: Scope, entry: Entry, { passages, sources, now }: Listing): Promise<readonly ListedMemory[]> {
    const { unit, document: row } = entry;
    const common = { row, documentIds: sources(entry) };
    if (row.memory === undefined) return [{ ...common, isInactive: false, versions: [viewOfPassage(unit, row)] }];
    // The views have checked the scope; the tags of a memory of a document are those of the document.
    const memory = (await loadMemory(this.documents, scope.organization, row.id))?.memory;
    if (memory === undefined) return [];
    const passage = passages.get(row.id);
    const complete = passage ? withPassage(memory, passage.document, passage.unit.text) : memory;
    const { version, inactiveFrom: from } = row.memory;
    const versions = versionViews(complete).slice(0, version).reverse();
    const isFormer = version < memory.versions.length && { isFormer: true as const };
    return [{ ...common, isInactive: from !== null && from <= now, versions, ...isFormer }];
  }

  async #listedThen(
    { unit, document: row, memory: then, documentIds }: ListedPastMemory,
    { asOf, now }: { readonly asOf: number; readonly now: number },
  ): Promise<readonly ListedMemory[]> {
    const common = { row, documentIds };
    if (row.memory === undefined) return [{ ...common, isInactive: false, versions: [viewOfPassage(unit, row)] }];
    const memory = then ?? (await loadMemory(this.documents, row.organization, row.id))?.memory;
    if (memory === undefined) return [];
    const from = row.memory.inactiveFrom;
    const versions = versionViews(memory).filter(({ createdAt }) => createdAt <= asOf);
    return [{ ...common, isInactive: from !== null && from <= now, versions: versions.reverse() }];
  }
}

/** Returns the passages of memories that have rows of their own, as their documents hold them, by their ids. */
async function passagesOf(
  views: ViewsReader,
  scope: Scope,
  memories: readonly Entry[],
): Promise<ReadonlyMap<string, Entry>> {
  const ids = memories.flatMap(({ document: { id, memory } }) => (memory?.documentId === undefined ? [] : [id]));
  const found = ids.length === 0 ? [] : await views.passages(scope, { ids });
  return new Map(found.toReversed().map((passage) => [passage.unit.id, passage]));
}
