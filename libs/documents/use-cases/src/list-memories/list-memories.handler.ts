import { Inject } from '@nestjs/common';
import { type IQueryHandler, QueryHandler } from '@nestjs/cqrs';
import pLimit from 'p-limit';
import { asShown, DocumentRepository, memoryIn } from '#documents';
import { CLOCK, type Clock, type Scope, systemScope } from '#kernel';
import { CurrentViews, type DocumentRow, type Unit, type ViewsReader } from '#views';
import { passageOf, versionOfPassage, versionsOf } from '../memories/memory-view.ts';
import { AT_ONCE } from '../memories/named-memory.ts';
import { type ListedMemory, ListMemories } from './list-memories.query.ts';

@QueryHandler(ListMemories)
export class ListMemoriesHandler implements IQueryHandler<ListMemories> {
  constructor(
    private readonly views: CurrentViews,
    private readonly documents: DocumentRepository,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  async execute({ scope, options }: ListMemories) {
    const { page, limit, includeInactive, ...query } = options;
    const now = this.clock.now();
    const views = await this.views.read();
    const { memories, total } = await views.memories({
      ...query,
      ...{ scope, limit, offset: (page - 1) * limit, filepath: null, cutAt: now },
      ...(!includeInactive && { activeAt: now }),
    });
    const listed = await pLimit(AT_ONCE).map(memories, (found) => this.#listed(views, scope, found, now));
    return { memories: listed.flat(), total };
  }

  async #listed(
    views: ViewsReader,
    scope: Scope,
    { unit, document: row }: { readonly unit: Unit; readonly document: DocumentRow },
    now: number,
  ): Promise<readonly ListedMemory[]> {
    if (row.memory === undefined) return [{ row, isInactive: false, versions: [versionOfPassage(unit, row)] }];
    // The views have checked the scope; the tags of a memory of a document are those of the document.
    const live = memoryIn(await this.documents.load({ ...systemScope(scope.organization), access: 'read' }, row.id));
    if (live === null) return [];
    const [passage] = row.memory.documentId === undefined ? [] : await views.passages(scope, { ids: [row.id] });
    const shown = passage === undefined ? live : asShown(live, passageOf(passage));
    const from = row.memory.inactiveFrom;
    return [{ row, isInactive: from !== null && from <= now, versions: [...versionsOf(shown)].reverse() }];
  }
}
