import { existsSync } from 'node:fs';
import { dataFiles, enginesOf } from '#composition/runtime';
import type { Config } from '#platform/config';
import type { JsonObject } from '#platform/kernel';
import { backUp } from './backup/backup.ts';
import { listDeadLetters, retryDeadLetters } from './dead-letters.ts';
import { examine } from './doctor/examine.ts';
import { exportEvents, tailEvents } from './events.ts';
import { changeKey, createKey, listKeys, revokeKey } from './keys.ts';
import { type Operation, type OperationsContext, OperatorError } from './operation.ts';
import { changeOrganization, deleteOrganization, listOrganizations, newOrganization } from './organizations.ts';
import { orphans } from './orphans.ts';
import { purge } from './purge.ts';
import { setQuotas, showQuotas } from './quotas.ts';
import { replay } from './rebuild.ts';
import { checkReprocess, reprocess } from './reprocess.ts';
import { listSecrets, rotateSecrets } from './secrets.ts';
import { inviteMember, listTeam, removeMember } from './team.ts';
import { exportDocuments } from './transfer/export.ts';
import { checkImportInto, importDocuments } from './transfer/import.ts';
import { rebuildVectorSpace, spaceServed } from './vector-space.ts';

export { restoreBackup } from './backup/restore.ts';
export { examine } from './doctor/examine.ts';
export { initialize } from './init.ts';
export type { OperationsContext } from './operation.ts';

/** The operations, by their names on the control socket. */
const OPERATIONS = {
  backup: backUp,
  'dead-letters-list': listDeadLetters,
  'dead-letters-retry': retryDeadLetters,
  doctor: ({ parts, ...context }, { acceptLoss = false }) =>
    examine({ ...context, engines: enginesOf(parts), acceptLoss: acceptLoss === true }),
  'events-export': exportEvents,
  'events-tail': tailEvents,
  export: exportDocuments,
  import: importDocuments,
  'keys-list': listKeys,
  'keys-create': createKey,
  'keys-change': changeKey,
  'keys-revoke': revokeKey,
  'organizations-list': listOrganizations,
  'organizations-create': newOrganization,
  'organizations-change': changeOrganization,
  'organizations-delete': deleteOrganization,
  orphans,
  purge,
  'quotas-show': showQuotas,
  'quotas-set': setQuotas,
  'rebuild-vector-space': rebuildVectorSpace,
  replay,
  reprocess,
  'secrets-list': listSecrets,
  'secrets-rotate': rotateSecrets,
  'team-list': listTeam,
  'team-invite': inviteMember,
  'team-remove': removeMember,
} as const satisfies Record<string, Operation>;

/**
 * Checks an operation without a server, before any engine is opened.
 * @throws OperatorError if the settings or the data folder do not permit it
 */
export async function checkOperation(config: Config, name: string, input: JsonObject): Promise<void> {
  const { dataFolder, eventStoreUrl } = config;
  if (name === 'rebuild-vector-space') spaceServed(config, input);
  if (name === 'reprocess') checkReprocess(config, input);
  if (eventStoreUrl !== null || existsSync(dataFiles(dataFolder).events)) return;
  if (name === 'import') return checkImportInto(dataFolder, input);
  throw new OperatorError(`${dataFolder} has no event log. Set the data folder with --data or MNEME_DATA.`);
}

/** @throws OperatorError for an unknown name, and errors of the operation */
export function operate(
  context: OperationsContext,
  name: string,
  input: JsonObject,
  signal: AbortSignal,
): AsyncIterable<JsonObject> {
  const operation = Object.hasOwn(OPERATIONS, name) ? OPERATIONS[name as keyof typeof OPERATIONS] : undefined;
  if (operation === undefined) throw new OperatorError(`There is no operation ${name}`);
  return operation(context, input, signal);
}
