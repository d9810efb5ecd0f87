import { type IQueryHandler, QueryHandler } from '@nestjs/cqrs';
import { AUDIT } from '#features/audit';
import { readScope } from '#platform/kernel';
import { CurrentViews, type StreamRow } from '#read-side/views';
import { type AuditedAction, type AuditPage, ListAudit } from './list-audit.query.ts';

@QueryHandler(ListAudit)
export class ListAuditHandler implements IQueryHandler<ListAudit> {
  constructor(private readonly views: CurrentViews) {}

  async execute({ principal, options }: ListAudit): Promise<AuditPage> {
    const { actor, action, from, to, page, limit } = options;
    const views = await this.views.read();
    const { rows, total } = await views.rows({
      ...{ model: AUDIT, scope: readScope(principal), ofDeleted: true, within: { column: 'at', from, to } },
      equals: { ...(actor !== null && { actor }), ...(action !== null && { action }) },
      ...{ sort: 'at', order: 'desc', offset: (page - 1) * limit, limit },
    });
    return { entries: rows.map(entryOf), total, page, limit };
  }
}

function entryOf({ tags, values }: StreamRow): AuditedAction {
  const { event_id, at, actor, action, target_id, document_count } = values;
  return {
    ...{ id: event_id as string, at: at as number, actor: actor as string, action: action as string },
    ...{ targetId: target_id as string | null, containerTags: tags, documents: document_count as number | null },
  };
}
