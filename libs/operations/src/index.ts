import type { JsonObject } from '#kernel';
import { enginesOf } from '#runtime';
import { backUp } from './backup/backup.ts';
import { listDeadLetters, retryDeadLetters } from './dead-letters.ts';
import { examine } from './doctor/examine.ts';
import { exportEvents, tailEvents } from './events.ts';
import { type Operation, type OperationsContext, OperatorError } from './operation.ts';
import { purge } from './purge.ts';
import { replay } from './rebuild.ts';
import { exportDocuments } from './transfer/export.ts';
import { importDocuments } from './transfer/import.ts';
import { rebuildVectorSpace } from './vector-space.ts';

export { restoreBackup } from './backup/restore.ts';
export { examine } from './doctor/examine.ts';
export { initialize } from './init.ts';
export { type OperationsContext, OperatorError } from './operation.ts';

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
  purge,
  'rebuild-vector-space': rebuildVectorSpace,
  replay,
} as const satisfies Record<string, Operation>;

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
