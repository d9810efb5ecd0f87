import { setTimeout as pause } from 'node:timers/promises';
import { Aliases } from '../aliases.ts';
import type { Connection } from '../connection.ts';
import { ViewsMissingError } from '../errors.ts';
import { INDEX_NAMES } from '../mappings.ts';
import { recordId } from '../model-record.ts';
import { CheckpointLease } from '../write/lease.ts';
import { deleteIndices } from './indices.ts';
import { rowModels } from './row-indices.ts';

type AliasesOfIndices = Record<string, { readonly aliases: Record<string, { readonly filter?: object }> }>;
type Action = Record<string, Record<string, unknown>>;

/** Milliseconds in which searches end that have started on the replaced views. */
const SEARCHES_TAKE_MS = 2_000;

export interface Replacement {
  /** Prefix of the serving views. */
  readonly prefix: string;
  /** Prefix of those that replace them. */
  readonly by: string;
  /** Fencing token of the lease under which they are replaced. */
  readonly fencingToken: number;
  /** Names this process in messages. */
  readonly holder: string;
  /**
   * Called when nothing can be written to the serving views any more. Brings the new ones to the end of the log and closes
   * their writer. False: they do not get there.
   */
  ready(): Promise<boolean>;
}

/**
 * Replaces views, atomically for every reader. The writer of the replaced ones is fenced; the next one continues from the
 * checkpoint of the new ones. The replaced ones stay until `removeReplaced`.
 * @returns false: the new ones were not ready, nothing is replaced
 * @throws ViewsMissingError, ViewsUnreachableError, FencedError; then nothing is replaced
 */
export async function replaceViews(connection: Connection, replacement: Replacement): Promise<boolean> {
  const { prefix, by, fencingToken: token, holder, ready } = replacement;
  const [present, renewed] = [new Aliases(prefix), new Aliases(by)];
  const replaced = replacedAlias(prefix);
  // A process that crashed may have left its replaced views.
  await removeBehind(connection, replaced);
  const frozen = await CheckpointLease.take(connection, present.of('meta'), token, holder);
  if (!(await ready())) return false;
  await CheckpointLease.take(connection, renewed.of('meta'), token, holder);
  const actions: Action[] = [];
  for (const model of await rowModels(connection, renewed)) {
    await CheckpointLease.take(connection, renewed.of('meta'), token, holder, recordId(model));
  }
  for (const written of await aliasesOf(connection, renewed)) {
    for (const [index, { aliases }] of Object.entries(await indicesBehind(connection, written))) {
      for (const [alias, { filter }] of Object.entries(aliases)) {
        actions.push({ remove: { index, alias } });
        if (renewed.isOfWriter(alias)) continue;
        const writes = alias === written;
        const to = { index, alias: prefix + alias.slice(by.length) };
        actions.push({ add: { ...to, ...(writes && { is_write_index: true }), ...(filter && { filter }) } });
      }
    }
  }
  for (const written of await aliasesOf(connection, present)) {
    for (const [index, { aliases }] of Object.entries(await indicesBehind(connection, written))) {
      for (const alias of Object.keys(aliases)) actions.push({ remove: { index, alias } });
      actions.push({ add: { index, alias: replaced } });
    }
  }
  // Another writer may have taken over since, if this process was paused.
  await frozen.write(frozen.position);
  await connection.call({ method: 'POST', path: '/_aliases', body: { actions } as never });
  return true;
}

/** Deletes replaced views when no search can still use them. */
export async function removeReplaced(connection: Connection, prefix: string): Promise<void> {
  await pause(SEARCHES_TAKE_MS);
  await removeBehind(connection, replacedAlias(prefix));
}

const replacedAlias = (prefix: string) => `${prefix}-replaced`;

/** Aliases through which rows are written. */
async function aliasesOf(connection: Connection, aliases: Aliases): Promise<readonly string[]> {
  const models = await rowModels(connection, aliases);
  return [...INDEX_NAMES.map((name) => aliases.of(name)), ...models.map((model) => aliases.ofModel(model))];
}

async function removeBehind(connection: Connection, alias: string): Promise<void> {
  await deleteIndices(connection, Object.keys(await indicesBehind(connection, alias)));
}

async function indicesBehind(connection: Connection, alias: string): Promise<AliasesOfIndices> {
  try {
    return await connection.call<AliasesOfIndices>({ method: 'GET', path: `/${alias}/_alias` });
  } catch (error) {
    if (error instanceof ViewsMissingError) return {};
    throw error;
  }
}
