export { ACTIONS, AUDIT, AUDITED_EVENTS, auditEntryOf } from './entries.ts';
