import { type FileHandle, open, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { isAbsent } from '#platform/kernel';
import { keyIdOfFile, type MasterKeys, OtherMasterKeyError, SealBrokenError } from '#platform/sealing';
import { OperatorError } from '../operation.ts';
import type { BackupFile } from './backup-file.ts';
import { BackupFolder } from './backup-folder.ts';
import { PLAIN, SEALED_MANIFEST, sealedForm } from './form.ts';

/** Raised when a backup of this version cannot be restored by earlier ones. */
export const BACKUP_FORMAT = 1;

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

export async function writeManifest(folder: BackupFolder, manifest: BackupManifest): Promise<void> {
  const text = `${JSON.stringify(manifest, null, 2)}\n`;
  await folder.write(
    folder.form.manifest,
    (async function* () {
      yield Buffer.from(text);
    })(),
  );
}

/**
 * Opens a backup that is plain or sealed.
 * @param keys of which one opens a sealed backup
 * @throws OperatorError if the folder holds no complete backup that this version and these keys can restore
 */
export async function openBackup(
  path: string,
  keys: MasterKeys,
): Promise<{ readonly folder: BackupFolder; readonly manifest: BackupManifest }> {
  const isSealed = (await stat(join(path, SEALED_MANIFEST)).catch(() => null)) !== null;
  const folder = new BackupFolder(path, isSealed ? await sealedFormOf(path, keys) : PLAIN);
  const manifest = await manifestIn(folder);
  if (manifest?.format === undefined || manifest.list === undefined) throw damagedManifest(path, folder.form.manifest);
  if (manifest.format > BACKUP_FORMAT) {
    throw new OperatorError(
      `${path} was written by version ${manifest.version}. Restore it with that version or a newer one.`,
    );
  }
  return { folder, manifest: manifest as BackupManifest };
}

async function sealedFormOf(path: string, keys: MasterKeys) {
  const manifest = new BackupFolder(path, { ...PLAIN, manifest: SEALED_MANIFEST });
  try {
    return sealedForm(await keys.named(await keyIdOfFile(manifest.read(SEALED_MANIFEST))));
  } catch (error) {
    if (error instanceof SealBrokenError) throw damagedManifest(path, SEALED_MANIFEST);
    if (!(error instanceof OtherMasterKeyError)) throw error;
    throw new OperatorError(
      `The backup is sealed with the key ${error.keyId}, which is not in ${keys.place}: set MNEME_MASTER_KEY or ` +
        'MNEME_MASTER_KEY_FILE to it, or copy the master.key of its installation into the data folder.',
    );
  }
}

/** Null: it is damaged. @throws OperatorError if there is none */
async function manifestIn(folder: BackupFolder): Promise<Partial<BackupManifest> | null> {
  const { manifest } = folder.form;
  try {
    return JSON.parse(
      Buffer.concat(await Array.fromAsync(folder.read(manifest))).toString(),
    ) as Partial<BackupManifest>;
  } catch (error) {
    if (isAbsent(error)) throw new OperatorError(`${folder.path} holds no complete backup: it has no ${manifest}.`);
    if (error instanceof SyntaxError || error instanceof SealBrokenError) return null;
    throw error;
  }
}

const damagedManifest = (path: string, manifest: string): OperatorError =>
  new OperatorError(`${join(path, manifest)} is damaged.`);
