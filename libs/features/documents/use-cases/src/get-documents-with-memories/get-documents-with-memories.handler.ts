import { type IQueryHandler, QueryHandler } from '@nestjs/cqrs';
import { type Scope, scopeOf } from '#platform/kernel';
import { CurrentViews, type DocumentRow, type ViewsReader } from '#read-side/views';
import { DocumentMemories } from '../document-memories.ts';
import { GetDocumentsWithMemories } from './get-documents-with-memories.query.ts';

/** Documents in an answer by customIds, of which each may name several. */
const MOST_NAMED = 1_000;

@QueryHandler(GetDocumentsWithMemories)
export class GetDocumentsWithMemoriesHandler implements IQueryHandler<GetDocumentsWithMemories> {
  constructor(
    private readonly views: CurrentViews,
    private readonly memories: DocumentMemories,
  ) {}

  async execute({ principal, tags, by, names }: GetDocumentsWithMemories) {
    const scope = scopeOf(principal, tags);
    const views = await this.views.read();
    const rows = await (by === 'id' ? views.documents(scope, names) : byCustomIds(views, scope, names));
    return this.memories.of(views, scope, rows);
  }
}

async function byCustomIds(
  views: ViewsReader,
  scope: Scope,
  customIds: readonly string[],
): Promise<readonly DocumentRow[]> {
  const everywhere = { filter: null, filepath: null, stages: null };
  const page = { sort: 'createdAt', order: 'asc', offset: 0, limit: MOST_NAMED } as const;
  const { rows } = await views.list({ ...everywhere, ...page, scope, customIds });
  const found = Map.groupBy(rows, ({ customId }) => customId);
  return [...new Set(customIds)].flatMap((customId) => found.get(customId) ?? []);
}
