import { setTimeout as pause } from 'node:timers/promises';
import { Aliases } from '../aliases.ts';
import type { Connection } from '../connection.ts';
import { ViewsMissingError } from '../errors.ts';
import { INDEX_NAMES } from '../mappings.ts';
import { recordId } from '../model-record.ts';
import { CheckpointLease, readFencingToken } from '../write/lease.ts';
import { deleteIndices } from './indices.ts';
import { rowModels } from './row-indices.ts';

type AliasesOfIndices = Record<string, { readonly aliases: Record<string, { readonly filter?: object }> }>;
type Action = Record<string, Record<string, unknown>>;

/** Added to the fencing token of the writer that is to be fenced; the next writer has a higher one. */
const BETWEEN = 0.5;
/** Milliseconds in which searches end that have started on the replaced views. */
const SEARCHES_TAKE_MS = 2_000;

/**
 * Replaces the views of `prefix` by those of the prefix `by`, atomically for every reader, and deletes the replaced
 * ones when no search can still use them. The writer of the replaced views is fenced; the next one continues from the
 * checkpoint of the new ones.
 * @param holder names this process in messages
 * @throws ViewsMissingError, ViewsUnreachableError; then nothing is replaced
 */
export async function replaceViews(connection: Connection, prefix: string, by: string, holder: string): Promise<void> {
  const [present, renewed] = [new Aliases(prefix), new Aliases(by)];
  const replaced = `${prefix}-replaced`;
  // A process that crashed may have left its replaced views.
  await removeBehind(connection, replaced);
  const token = ((await readFencingToken(connection, present.of('meta'))) ?? 0) + BETWEEN;
  await CheckpointLease.take(connection, renewed.of('meta'), token, holder);
  const actions: Action[] = [];
  for (const model of await rowModels(connection, renewed)) {
    await CheckpointLease.take(connection, renewed.of('meta'), token, holder, recordId(model));
  }
  for (const written of await aliasesOf(connection, renewed)) {
    for (const [index, { aliases }] of Object.entries(await indicesBehind(connection, written))) {
      for (const [alias, { filter }] of Object.entries(aliases)) {
        actions.push({ remove: { index, alias } });
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
  await connection.call({ method: 'POST', path: '/_aliases', body: { actions } as never });
  await pause(SEARCHES_TAKE_MS);
  await removeBehind(connection, replaced);
}

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
