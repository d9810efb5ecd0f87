import { readdir, rm } from 'node:fs/promises';
import { join, relative, resolve, sep } from 'node:path';
import { keepsFolder } from '#composition/runtime';
import type { Config } from '#platform/config';
import { type JsonObject, Scratch } from '#platform/kernel';
import { folderOf, prepareEmpty } from '../folders.ts';
import { Lines } from '../lines.ts';
import { type OperationsContext, OperatorError } from '../operation.ts';
import { BackupFolder } from './backup-folder.ts';
import { BackupWriter } from './backup-writer.ts';
import { PLAIN, sealedForm } from './form.ts';
import type { BackupManifest } from './manifest.ts';

/**
 * Copies an embedded installation into an empty folder while it is in use; with `sealed`, nothing of it lies there in clear. The
 * last line has `done`, what the manifest says, in `missingBlobs` the first blobs that the log names and the installation has
 * lost, and in `sealed` the key without which it cannot be restored. A backup that is aborted or fails removes what it wrote.
 */
export async function* backUp(
  { config, parts, clock }: OperationsContext,
  input: JsonObject,
  signal: AbortSignal,
): AsyncIterable<JsonObject> {
  const { embedded, files } = parts.storage;
  const folder = folderOf(input);
  assertEmbedded(config);
  if (embedded === null) throw new Error('the engines of this installation are not those of its settings');
  const [first] = relative(resolve(config.dataFolder), folder).split(sep);
  if (first !== '..') throw new OperatorError(`${folder} is inside the data folder. Choose another folder.`);
  await prepareEmpty(folder);
  const { masterKeys } = parts;
  const key = input.sealed === true ? await masterKeys.newest() : null;
  const backup = new BackupFolder(folder, key === null ? PLAIN : sealedForm(key));
  const scratch = key === null ? null : new Scratch(files.scratch);
  await scratch?.make();
  const work = scratch?.folder ?? folder;
  const lines = new Lines<JsonObject>();
  const onBytes = (bytes: number, of: number) => lines.put({ phase: 'copy', bytes, of });
  let manifest: BackupManifest | null = null;
  let missingBlobs: readonly string[] = [];
  yield* lines.until(
    (async () => {
      const writer = new BackupWriter({ folder: backup, work, files, storage: embedded, clock, onBytes, signal });
      try {
        manifest = await writer.write();
        missingBlobs = writer.missing.blobs;
      } catch (error) {
        await writer.close();
        for (const name of await readdir(folder)) await rm(join(folder, name), { recursive: true });
        if (!signal.aborted) throw error;
      } finally {
        await scratch?.close();
      }
    })(),
  );
  const { place, isGenerated } = masterKeys;
  const sealed = key === null ? null : { key: key.id, place, isGenerated };
  yield { phase: 'done', done: manifest !== null, folder, ...(manifest ?? {}), missingBlobs, sealed };
}

/** Only files in the data folder can be copied. @throws OperatorError that names what to back up elsewhere */
export function assertEmbedded(config: Config): void {
  const { eventStoreUrl, natsUrl, openSearchUrl, prefix } = config;
  const hasFigures = keepsFolder(config);
  const inOpenSearch = hasFigures
    ? 'nothing: its indices follow from the log'
    : `the indices ${prefix}-analytics-*: the others follow from the log`;
  const elsewhere = [
    ...(eventStoreUrl === null ? [] : ['EventStoreDB (its database)']),
    ...(natsUrl === null ? [] : [`NATS (the streams ${prefix}-blobs and ${prefix}-keys)`]),
    ...(openSearchUrl === null ? [] : [`OpenSearch (${inOpenSearch})`]),
  ];
  if (elsewhere.length === 0) return;
  const local = [
    ...(eventStoreUrl === null ? ['events.db'] : []),
    ...(hasFigures ? ['analytics.db'] : []),
    ...(natsUrl === null ? ['blobs/', ...(eventStoreUrl === null ? [] : ['stream-keys.db'])] : []),
  ];
  const stopped =
    local.length === 0 ? '' : ` Copy ${local.join(' and ')} of the data folder while the server is stopped.`;
  throw new OperatorError(
    `This command handles data folders only. Back up with the tools of each engine: ${elsewhere.join(', ')}.${stopped}`,
  );
}
