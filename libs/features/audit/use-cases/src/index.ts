export { AuditModule } from './audit.module.ts';
export { ListAuditInput, listAudit } from './list-audit/list-audit.input.ts';
export type { AuditedAction, AuditPage } from './list-audit/list-audit.query.ts';
