import { Controller, Get, Query } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import { ListAuditInput, listAudit } from '#features/audit/use-cases';
import type { Principal } from '#platform/kernel';
import { Requires } from '../access/permission.ts';
import { CurrentPrincipal } from '../access/principal.ts';
import { Documented } from '../openapi/documented.ts';
import { InSection } from '../openapi/sections.ts';
import { AuditList, auditList } from './audit.responses.ts';

@Controller('v3/audit')
@InSection('Audit')
export class AuditController {
  constructor(private readonly queries: QueryBus) {}

  @Get()
  @Requires('admin')
  @Documented({
    id: 'listAudit',
    summary: 'List who has done what',
    description:
      'Changes of keys and settings, merges of tags, deletions, and memories that were forgotten, the newest first. Reads are not recorded.',
    answer: AuditList,
    refuses: [],
  })
  list(@CurrentPrincipal() principal: Principal, @Query() query: ListAuditInput) {
    return this.queries.execute(listAudit(principal, query)).then(auditList);
  }
}
