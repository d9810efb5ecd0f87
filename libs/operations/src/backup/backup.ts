import { mkdir, readdir, rm } from 'node:fs/promises';
import { join, relative, resolve, sep } from 'node:path';
import type { Config } from '#config';
import type { JsonObject } from '#kernel';
import { syncFolder } from '#kernel';
import { Lines } from '../lines.ts';
import { type OperationsContext, OperatorError, textOf } from '../operation.ts';
import { BackupWriter } from './backup-writer.ts';
import type { BackupManifest } from './manifest.ts';

/**
 * Copies an embedded installation into an empty folder while it is in use. The last line has `done`, and what the manifest
 * says. A backup that is aborted or fails removes what it wrote.
 */
export async function* backUp(
  { config, parts, clock }: OperationsContext,
  input: JsonObject,
  signal: AbortSignal,
): AsyncIterable<JsonObject> {
  const { embedded, files } = parts.storage;
  const folder = resolve(folderOf(input));
  assertEmbedded(config);
  if (embedded === null) throw new Error('the engines of this installation are not those of its settings');
  const [first] = relative(resolve(config.dataFolder), folder).split(sep);
  if (first !== '..') throw new OperatorError(`${folder} is inside the data folder. Choose another folder.`);
  await prepare(folder);
  const lines = new Lines<JsonObject>();
  const onBytes = (bytes: number, of: number) => lines.put({ phase: 'copy', bytes, of });
  let manifest: BackupManifest | null = null;
  yield* lines.until(
    (async () => {
      const writer = new BackupWriter({ folder, files, storage: embedded, clock, onBytes, signal });
      try {
        manifest = await writer.write();
      } catch (error) {
        await writer.close();
        for (const name of await readdir(folder)) await rm(join(folder, name), { recursive: true });
        if (!signal.aborted) throw error;
      }
    })(),
  );
  yield { phase: 'done', done: manifest !== null, folder, ...(manifest ?? {}) };
}

/** @throws OperatorError */
export function folderOf(input: JsonObject): string {
  const folder = textOf(input.folder);
  if (folder === null) throw new OperatorError('A folder is required.');
  return folder;
}

/** Only files in the data folder can be copied. @throws OperatorError that names what to back up elsewhere */
export function assertEmbedded({ eventStoreUrl, natsUrl, openSearchUrl, prefix }: Config): void {
  const elsewhere = [
    ...(eventStoreUrl === null ? [] : ['EventStoreDB (its database)']),
    ...(natsUrl === null ? [] : [`NATS (the streams ${prefix}-blobs and ${prefix}-keys)`]),
    ...(openSearchUrl === null ? [] : ['OpenSearch (nothing: its indices follow from the log)']),
  ];
  if (elsewhere.length === 0) return;
  const local = [
    ...(eventStoreUrl === null ? ['events.db'] : []),
    ...(natsUrl === null ? ['blobs/', ...(eventStoreUrl === null ? [] : ['stream-keys/'])] : []),
  ];
  const stopped =
    local.length === 0 ? '' : ` Copy ${local.join(' and ')} of the data folder while the server is stopped.`;
  throw new OperatorError(
    `This command handles data folders only. Back up with the tools of each engine: ${elsewhere.join(', ')}.${stopped}`,
  );
}

/** Creates the folder if it does not exist. @throws OperatorError if it is not empty */
async function prepare(folder: string): Promise<void> {
  try {
    const created = await mkdir(folder, { recursive: true, mode: 0o700 });
    if (created !== undefined) await syncFolder(resolve(folder, '..'));
    if ((await readdir(folder)).length === 0) return;
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    if (!['EEXIST', 'ENOTDIR', 'EACCES', 'EROFS'].includes(code)) throw error;
    throw new OperatorError(`The folder ${folder} cannot be written (${code}).`, { cause: error });
  }
  throw new OperatorError(`${folder} is not empty. Choose another folder, or empty this one.`);
}
