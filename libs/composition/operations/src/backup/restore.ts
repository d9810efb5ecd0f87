import { mkdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { dataFiles } from '#composition/runtime';
import type { Config } from '#platform/config';
import { type JsonObject, syncFolder } from '#platform/kernel';
import { lockDataFolder, renewStoreId } from '#ports/event-store';
import { folderOf, namesIn } from '../folders.ts';
import { Lines } from '../lines.ts';
import { OperatorError } from '../operation.ts';
import { assertEmbedded } from './backup.ts';
import { copyFile } from './copy-file.ts';
import { type BackupFile, digestOf, pathIn, readFileList, readManifest } from './manifest.ts';

/**
 * Writes a backup into an empty data folder that no server uses. The log gets a new store id; the views are built from it
 * at the first start. An interrupted restore is begun again by the same command. The last line has `done`.
 */
export async function* restoreBackup(
  config: Config,
  input: JsonObject,
  signal: AbortSignal,
): AsyncIterable<JsonObject> {
  const folder = folderOf(input);
  assertEmbedded(config);
  const manifest = await readManifest(folder);
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
        const list = pathIn(folder, manifest.list.path);
        await verify(folder, manifest.list);
        const verified = progressOf('verify');
        for await (const file of readFileList(list)) {
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

/** @throws OperatorError if the folder holds anything but an interrupted restore, which is removed */
async function prepare(dataFolder: string): Promise<void> {
  const names = await namesIn(dataFolder);
  if (names.length === 0) return;
  const { restoring } = dataFiles(dataFolder);
  if (!names.some((name) => join(dataFolder, name) === restoring)) {
    throw new OperatorError(`The data folder ${dataFolder} is not empty; a backup is restored into an empty one.`);
  }
  for (const name of names) {
    const path = join(dataFolder, name);
    if (path !== restoring) await rm(path, { recursive: true });
  }
}

/** @throws OperatorError if a file is missing or is not as it was written */
async function verify(folder: string, { path, bytes, sha256 }: BackupFile): Promise<void> {
  const digest = await digestOf(pathIn(folder, path));
  if (digest?.sha256 === sha256 && digest.bytes === bytes) return;
  throw new OperatorError(`The backup is damaged: ${path} ${digest === null ? 'is missing' : 'has changed'}.`);
}

interface CopyOptions {
  readonly list: string;
  onFile(file: BackupFile): void;
  readonly signal: AbortSignal;
}

/** @returns false if it was aborted; the data folder is then as before */
async function copyAll(folder: string, dataFolder: string, { list, onFile, signal }: CopyOptions): Promise<boolean> {
  const { restoring, events } = dataFiles(dataFolder);
  // Until this file is gone, no server starts on the folder.
  await writeFile(restoring, `${folder}\n`, { mode: 0o600 });
  await syncFolder(dataFolder);
  const folders = new Set<string>([dataFolder]);
  for await (const file of readFileList(list)) {
    if (signal.aborted) break;
    const to = pathIn(dataFolder, file.path);
    for (let parent = dirname(to); !folders.has(parent); parent = dirname(parent)) folders.add(parent);
    await mkdir(dirname(to), { recursive: true, mode: 0o700 });
    const copied = await copyFile(pathIn(folder, file.path), to);
    if (copied?.sha256 !== file.sha256) throw new OperatorError(`The backup is damaged: ${file.path} has changed.`);
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
