import { mkdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { dataFiles, masterKeysOf } from '#composition/runtime';
import type { Config } from '#platform/config';
import { type JsonObject, syncFolder } from '#platform/kernel';
import { SealBrokenError } from '#platform/sealing';
import { lockDataFolder, renewStoreId } from '#ports/event-store';
import { folderOf, namesIn } from '../folders.ts';
import { Lines } from '../lines.ts';
import { OperatorError } from '../operation.ts';
import { assertEmbedded } from './backup.ts';
import type { BackupFile } from './backup-file.ts';
import { type BackupFolder, pathIn } from './backup-folder.ts';
import { openBackup } from './manifest.ts';
import { writtenFile } from './written-file.ts';

/**
 * Writes a backup into an empty data folder that no server uses. The log gets a new store id; the views are built from it
 * at the first start. An interrupted restore is begun again by the same command. The last line has `done`.
 */
export async function* restoreBackup(
  config: Config,
  input: JsonObject,
  signal: AbortSignal,
): AsyncIterable<JsonObject> {
  const from = folderOf(input);
  assertEmbedded(config);
  const { folder, manifest } = await openBackup(from, masterKeysOf(config));
  const lines = new Lines<JsonObject>();
  let done = false;
  const progressOf = (phase: string) => {
    let bytes = 0;
    return (file: BackupFile) => {
      bytes += file.bytes;
      lines.put({ phase, bytes, of: manifest.bytes });
    };
  };
  yield* lines.until(
    (async () => {
      const lock = lockDataFolder(config.dataFolder);
      try {
        await prepare(config.dataFolder);
        const list = manifest.list.path;
        await verify(folder, manifest.list);
        const verified = progressOf('verify');
        for await (const file of folder.list(list)) {
          if (signal.aborted) return;
          await verify(folder, file);
          verified(file);
        }
        done = await copyAll(folder, config.dataFolder, { list, onFile: progressOf('restore'), signal });
      } finally {
        lock.release();
      }
    })(),
  );
  const { position, createdAt, version, bytes, files, missing } = manifest;
  yield { phase: 'done', done, folder: config.dataFolder, position, createdAt, version, bytes, files, missing };
}

/** @throws OperatorError if the folder holds anything but its master key and an interrupted restore, which is removed */
async function prepare(dataFolder: string): Promise<void> {
  const { restoring, masterKey } = dataFiles(dataFolder);
  const names = (await namesIn(dataFolder)).filter((name) => join(dataFolder, name) !== masterKey);
  if (names.length === 0) return;
  if (!names.some((name) => join(dataFolder, name) === restoring)) {
    throw new OperatorError(`The data folder ${dataFolder} is not empty; a backup is restored into an empty one.`);
  }
  for (const name of names) {
    const path = join(dataFolder, name);
    if (path !== restoring) await rm(path, { recursive: true });
  }
}

/** @throws OperatorError if a file is missing or is not as it was written */
async function verify(folder: BackupFolder, { path, bytes, sha256 }: BackupFile): Promise<void> {
  const digest = await folder.digest(path).catch(brokenAs(path));
  if (digest?.sha256 === sha256 && digest.bytes === bytes) return;
  throw damaged(path, digest === null ? 'is missing' : 'has changed');
}

const damaged = (path: string, how: string): OperatorError =>
  new OperatorError(`The backup is damaged: ${path} ${how}.`);

function brokenAs(path: string): (error: unknown) => never {
  return (error) => {
    throw error instanceof SealBrokenError ? damaged(path, 'has changed') : error;
  };
}

interface CopyOptions {
  readonly list: string;
  onFile(file: BackupFile): void;
  readonly signal: AbortSignal;
}

/** @returns false if it was aborted; the data folder is then as before */
async function copyAll(
  folder: BackupFolder,
  dataFolder: string,
  { list, onFile, signal }: CopyOptions,
): Promise<boolean> {
  const { restoring, events } = dataFiles(dataFolder);
  // Until this file is gone, no server starts on the folder.
  await writeFile(restoring, `${folder.path}\n`, { mode: 0o600 });
  await syncFolder(dataFolder);
  const folders = new Set<string>([dataFolder]);
  for await (const file of folder.list(list)) {
    if (signal.aborted) break;
    const to = pathIn(dataFolder, file.path);
    for (let parent = dirname(to); !folders.has(parent); parent = dirname(parent)) folders.add(parent);
    await mkdir(dirname(to), { recursive: true, mode: 0o700 });
    const copied = await writtenFile(to, folder.read(file.path)).catch(brokenAs(file.path));
    if (copied.sha256 !== file.sha256) throw damaged(file.path, 'has changed');
    onFile(file);
  }
  if (signal.aborted) {
    await prepare(dataFolder);
    await rm(restoring);
    return false;
  }
  renewStoreId(events);
  for (const one of folders) await syncFolder(one);
  await rm(restoring);
  await syncFolder(dataFolder);
  return true;
}
