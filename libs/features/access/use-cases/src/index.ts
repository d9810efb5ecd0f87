export { AccessModule } from './access.module.ts';
export { ChangeKeyInput, changeKey } from './change-key/change-key.input.ts';
export type { NewKey } from './issue-key/issue-key.command.ts';
export { IssueKeyInput, issueKey } from './issue-key/issue-key.input.ts';
export { IssueScopedKeyInput, issueScopedKey } from './issue-scoped-key/issue-scoped-key.input.ts';
export { type ListedKey, ListKeys } from './list-keys/list-keys.query.ts';
export { RevokeKey } from './revoke-key/revoke-key.command.ts';
