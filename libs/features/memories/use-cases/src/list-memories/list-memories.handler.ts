import { Inject } from '@nestjs/common';
import { type IQueryHandler, QueryHandler } from '@nestjs/cqrs';
import pLimit from 'p-limit';
import {
  asShown,
  DocumentRepository,
  memoryIn,
  passageOf,
  versionOfPassage,
  versionViewsOf,
} from '#features/documents';
import { CLOCK, type Clock, type Scope, scopeOf, systemScope } from '#platform/kernel';
import { CurrentViews, type DocumentRow, type Unit, type ViewsReader } from '#read-side/views';
import { AT_ONCE } from '../memory-name.ts';
import { type ListedMemory, ListMemories } from './list-memories.query.ts';
import { type DocumentsThatSay, documentsThatSay, ownDocument } from './sources.ts';

interface Found {
  readonly unit: Unit;
  readonly document: DocumentRow;
  readonly isRepeated?: true;
}

interface Listing {
  readonly passages: ReadonlyMap<string, Found>;
  readonly sources: DocumentsThatSay;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

@QueryHandler(ListMemories)
export class ListMemoriesHandler implements IQueryHandler<ListMemories> {
  constructor(
    private readonly views: CurrentViews,
    private readonly documents: DocumentRepository,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  async execute({ principal, tags, options }: ListMemories) {
    const scope = scopeOf(principal, tags);
    const { page, limit, includeInactive, validAt, ...query } = options;
    const now = this.clock.now();
    const views = await this.views.read();
    const { memories, total } = await views.memories({
      ...query,
      ...{ scope, limit, offset: (page - 1) * limit, filepath: null, cutAt: now },
      ...(!includeInactive && { activeAt: now }),
      ...(validAt == null ? { isGrouped: true } : { validAt }),
    });
    const passages = await passagesOf(views, scope, memories);
    const sources =
      validAt == null
        ? await documentsThatSay(views, scope, memories, now)
        : ({ document }: Found) => ownDocument(document);
    const listed = await pLimit(AT_ONCE).map(memories, (found) =>
      this.#listed(scope, found, { passages, sources, now }),
    );
    return { memories: listed.flat(), total };
  }

  async #listed(scope: Scope, found: Found, { passages, sources, now }: Listing): Promise<readonly ListedMemory[]> {
    const { unit, document: row } = found;
    const common = { row, documentIds: sources(found) };
    if (row.memory === undefined) return [{ ...common, isInactive: false, versions: [versionOfPassage(unit, row)] }];
    // The views have checked the scope; the tags of a memory of a document are those of the document.
    const live = memoryIn(await this.documents.load({ ...systemScope(scope.organization), access: 'read' }, row.id));
    if (live === null) return [];
    const passage = passages.get(row.id);
    const shown = passage === undefined ? live : asShown(live, passageOf(passage));
    const from = row.memory.inactiveFrom;
    const { version } = row.memory;
    const versions = versionViewsOf(shown).slice(0, version).reverse();
    const isFormer = version < shown.memory.versions.length && { isFormer: true as const };
    return [{ ...common, isInactive: from !== null && from <= now, versions, ...isFormer }];
  }
}

/** Returns the passages of memories that have rows of their own, as their documents hold them, by their ids. */
async function passagesOf(
  views: ViewsReader,
  scope: Scope,
  memories: readonly Found[],
): Promise<ReadonlyMap<string, Found>> {
  const ids = memories.flatMap(({ document: { id, memory } }) => (memory?.documentId === undefined ? [] : [id]));
  const found = ids.length === 0 ? [] : await views.passages(scope, { ids });
  return new Map(found.toReversed().map((passage) => [passage.unit.id, passage]));
}
