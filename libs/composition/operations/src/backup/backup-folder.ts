import { createReadStream } from 'node:fs';
import { mkdir, open, rm, rmdir, stat } from 'node:fs/promises';
import { dirname, isAbsolute, join, normalize, sep } from 'node:path';
import { absentAsNull, isAbsent, textLines } from '#platform/kernel';
import { OperatorError } from '../operation.ts';
import type { BackupFile, Digest } from './backup-file.ts';
import type { BackupForm } from './form.ts';
import { Digester, writtenFile } from './written-file.ts';

/** The files of a backup, by their paths in it, whatever its form. */
export class BackupFolder {
  readonly path: string;
  readonly form: BackupForm;

  constructor(path: string, form: BackupForm) {
    this.path = path;
    this.form = form;
  }

  async has(path: string): Promise<boolean> {
    return (await stat(this.#at(path)).catch(() => null)) !== null;
  }

  /** Creates a file, durable apart from the entries of folders, and returns size and SHA-256 of the pieces. */
  async write(path: string, pieces: AsyncIterable<Uint8Array>): Promise<Digest> {
    const to = this.#at(path);
    await mkdir(dirname(to), { recursive: true, mode: 0o700 });
    return writtenFile(to, pieces, (plain) => this.form.write(path, plain));
  }

  /** Copies a file into the backup. Returns null, with nothing written, if there is none. */
  async copy(from: string, path: string): Promise<Digest | null> {
    const source = await open(from).catch(absentAsNull);
    if (source === null) return null;
    try {
      return await this.write(path, source.createReadStream({ autoClose: false }));
    } finally {
      await source.close();
    }
  }

  /** Yields the bytes of a file. @throws SealBrokenError; the error of a file that does not exist */
  read(path: string): AsyncIterable<Uint8Array> {
    return this.form.read(path, createReadStream(this.#at(path)));
  }

  /** Returns null if the file does not exist. @throws SealBrokenError */
  async digest(path: string): Promise<Digest | null> {
    const digest = new Digester();
    try {
      for await (const _ of digest.of(this.read(path))) {
        // Only its digest counts.
      }
    } catch (error) {
      if (isAbsent(error)) return null;
      throw error;
    }
    return digest.result();
  }

  /** Yields the entries of a list of files. */
  async *list(path: string): AsyncGenerator<BackupFile> {
    for await (const line of textLines(this.read(path))) yield JSON.parse(line) as BackupFile;
  }

  /** Removes a file, and its folder if it is empty then. */
  async remove(path: string): Promise<void> {
    const at = this.#at(path);
    await rm(at);
    await rmdir(dirname(at)).catch((error: NodeJS.ErrnoException) => {
      if (!['ENOTEMPTY', 'EEXIST'].includes(error.code ?? '')) throw error;
    });
  }

  #at(path: string): string {
    return pathIn(this.path, this.form.pathOf(path));
  }
}

/** Returns the path of a listed file. @throws OperatorError if it leads out of the folder */
export function pathIn(folder: string, path: string): string {
  const local = normalize(path.split('/').join(sep));
  if (!isAbsolute(local) && local.split(sep)[0] !== '..') return join(folder, local);
  throw new OperatorError(`The backup lists ${path}, which is not inside its folder.`);
}
