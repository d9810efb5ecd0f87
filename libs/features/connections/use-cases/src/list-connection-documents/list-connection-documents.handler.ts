import { type IQueryHandler, QueryHandler } from '@nestjs/cqrs';
import { CONNECTION_ITEMS } from '#features/connections';
import { err, ok, type Result, readScope } from '#platform/kernel';
import { CurrentViews, type DocumentRow } from '#read-side/views';
import { Connections } from '../connections.ts';
import { Providers } from '../providers.ts';
import { ListConnectionDocuments } from './list-connection-documents.query.ts';

const MOST = 1_000;

@QueryHandler(ListConnectionDocuments)
export class ListConnectionDocumentsHandler implements IQueryHandler<ListConnectionDocuments> {
  constructor(
    private readonly connections: Connections,
    private readonly providers: Providers,
    private readonly views: CurrentViews,
  ) {}

  async execute({
    principal,
    choice,
  }: ListConnectionDocuments): Promise<Result<readonly DocumentRow[], 'connection_not_found'>> {
    if (choice.provider !== null) this.providers.assertKnown(choice.provider);
    const connections = await this.connections.list(principal, choice);
    if (connections.length === 0) return err('connection_not_found');
    const scope = readScope(principal);
    const views = await this.views.read();
    const documents: DocumentRow[] = [];
    for (const { id: connection } of connections) {
      const limit = MOST - documents.length;
      if (limit === 0) break;
      const page = { sort: 'at', order: 'desc', offset: 0, limit } as const;
      const { rows } = await views.rows({ model: CONNECTION_ITEMS, scope, equals: { connection }, ...page });
      const ids = rows.flatMap(({ values }) => (values.document === null ? [] : [values.document as string]));
      documents.push(...(await views.documents(scope, ids)));
    }
    return ok(documents);
  }
}
