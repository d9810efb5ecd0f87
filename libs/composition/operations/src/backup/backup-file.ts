/** A file of the backup. */
export interface BackupFile {
  /** Relative to the folder, with `/`. */
  readonly path: string;
  readonly bytes: number;
  /** Hexadecimal. */
  readonly sha256: string;
}

/** Size and SHA-256 of a file. */
export type Digest = Pick<BackupFile, 'bytes' | 'sha256'>;

/** One line per file: `BackupFile` as JSON. */
export const FILE_LIST = 'files.jsonl';
