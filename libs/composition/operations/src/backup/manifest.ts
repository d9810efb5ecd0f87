import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { type FileHandle, open, readFile } from 'node:fs/promises';
import { isAbsolute, join, normalize, sep } from 'node:path';
import { absentAsNull, textLines } from '#platform/kernel';
import { OperatorError } from '../operation.ts';

/** Raised when a backup of this version cannot be restored by earlier ones. */
export const BACKUP_FORMAT = 1;
/** Written last: a folder without it is no complete backup. */
const MANIFEST = 'manifest.json';
/** One line per file: `BackupFile` as JSON. */
export const FILE_LIST = 'files.jsonl';

/** A file of the backup. */
export interface BackupFile {
  /** Relative to the folder, with `/`. */
  readonly path: string;
  readonly bytes: number;
  /** Hexadecimal. */
  readonly sha256: string;
}

export interface BackupManifest {
  readonly format: number;
  /** Of the program that wrote the backup. */
  readonly version: string;
  /** ISO 8601. */
  readonly createdAt: string;
  /** Id of the log that was copied. */
  readonly storeId: string;
  /** Position of the newest event in the backup; null: empty log. */
  readonly position: string | null;
  readonly files: number;
  readonly bytes: number;
  /** Blobs that the log names and that the installation had lost. */
  readonly missing: number;
  /** The list of all other files. */
  readonly list: BackupFile;
}

export async function writeManifest(folder: string, manifest: BackupManifest): Promise<void> {
  await writeSynced(join(folder, MANIFEST), async (file) => {
    await file.writeFile(`${JSON.stringify(manifest, null, 2)}\n`);
  });
}

/** Creates a file. Durable when it resolves, apart from the entry in its folder. */
export async function writeSynced(path: string, write: (file: FileHandle) => Promise<void>): Promise<void> {
  const file = await open(path, 'wx', 0o600);
  try {
    await write(file);
    await file.sync();
  } finally {
    await file.close();
  }
}

/** @throws OperatorError if the folder holds no complete backup that this version can restore */
export async function readManifest(folder: string): Promise<BackupManifest> {
  const text = await readFile(join(folder, MANIFEST), 'utf8').catch(absentAsNull);
  if (text === null) throw new OperatorError(`${folder} holds no complete backup: it has no ${MANIFEST}.`);
  const manifest = parsed(text) as Partial<BackupManifest> | null;
  if (manifest?.format === undefined || manifest.list === undefined) {
    throw new OperatorError(`${join(folder, MANIFEST)} is damaged.`);
  }
  if (manifest.format > BACKUP_FORMAT) {
    throw new OperatorError(
      `${folder} was written by version ${manifest.version}. Restore it with that version or a newer one.`,
    );
  }
  return manifest as BackupManifest;
}

/** Yields the files of a backup. */
export async function* readFileList(path: string): AsyncGenerator<BackupFile> {
  for await (const line of textLines(createReadStream(path))) yield JSON.parse(line) as BackupFile;
}

/** Returns the path of a listed file. @throws OperatorError if it leads out of the folder */
export function pathIn(folder: string, path: string): string {
  const local = normalize(path.split('/').join(sep));
  if (!isAbsolute(local) && local.split(sep)[0] !== '..') return join(folder, local);
  throw new OperatorError(`The backup lists ${path}, which is not inside its folder.`);
}

/** Size and SHA-256 of a file; null if it does not exist. */
export async function digestOf(path: string): Promise<Pick<BackupFile, 'bytes' | 'sha256'> | null> {
  const hash = createHash('sha256');
  let bytes = 0;
  try {
    for await (const piece of createReadStream(path)) {
      hash.update(piece as Buffer);
      bytes += (piece as Buffer).length;
    }
  } catch (error) {
    return absentAsNull(error);
  }
  return { bytes, sha256: hash.digest('hex') };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
