import { hiddenName, type MasterKey, openFile, sealFile } from '#platform/sealing';

/** How the files of a backup lie in its folder. Paths are relative, with `/`. */
export interface BackupForm {
  /** The file that is written last: a folder without it is no complete backup. */
  readonly manifest: string;
  /** Returns where a file of the backup lies. */
  pathOf(path: string): string;
  write(path: string, pieces: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array>;
  /** Only at its end is it known that the file is complete. */
  read(path: string, pieces: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array>;
}

export const PLAIN: BackupForm = {
  manifest: 'manifest.json',
  pathOf: (path) => path,
  write: (_, pieces) => pieces,
  read: (_, pieces) => pieces,
};

export const SEALED_MANIFEST = 'manifest.sealed';

/** Files sealed with the master key, under names that tell nothing: those of texts are their hashes. */
export const sealedForm = (key: MasterKey): BackupForm => ({
  manifest: SEALED_MANIFEST,
  pathOf(path) {
    if (path === SEALED_MANIFEST) return path;
    const name = hiddenName(key, path);
    return `files/${name.slice(0, 2)}/${name.slice(2)}`;
  },
  write: (path, pieces) => sealFile(pieces, key, path),
  read: (path, pieces) => openFile(pieces, key, path),
});
