import { createReadStream } from 'node:fs';
import { type FileHandle, open, rm } from 'node:fs/promises';
import { textLines } from '#platform/kernel';
import { type BackupFile, FILE_LIST } from './backup-file.ts';
import type { BackupFolder } from './backup-folder.ts';

/** The list of a backup's files. It is drafted as files are copied, and written at the end without those that were removed. */
export class FileList {
  readonly #folder: BackupFolder;
  readonly #draftPath: string;
  #draft: FileHandle | null = null;
  /** Writes one line after the other. */
  #written: Promise<unknown> = Promise.resolve();

  /** @param draftPath of a file that does not exist */
  constructor(folder: BackupFolder, draftPath: string) {
    this.#folder = folder;
    this.#draftPath = draftPath;
  }

  async open(): Promise<void> {
    this.#draft = await open(this.#draftPath, 'wx', 0o600);
  }

  async add(file: BackupFile): Promise<void> {
    this.#written = this.#written.then(() => this.#draft?.writeFile(`${JSON.stringify(file)}\n`));
    await this.#written;
  }

  /** Yields what was added before the call. */
  async *files(): AsyncGenerator<BackupFile> {
    await this.#written;
    for await (const line of textLines(createReadStream(this.#draftPath))) yield JSON.parse(line) as BackupFile;
  }

  /** @returns the list itself as a file, and the number and size of the files in it */
  async finish(): Promise<{ readonly files: number; readonly bytes: number; readonly list: BackupFile }> {
    await this.close();
    const counted = { files: 0, bytes: 0 };
    const digest = await this.#folder.write(FILE_LIST, this.#lines(counted));
    await rm(this.#draftPath);
    return { ...counted, list: { path: FILE_LIST, ...digest } };
  }

  async close(): Promise<void> {
    await this.#written.catch(() => {});
    await this.#draft?.close();
    this.#draft = null;
  }

  async *#lines(counted: { files: number; bytes: number }): AsyncGenerator<Uint8Array> {
    for await (const file of this.files()) {
      if (!(await this.#folder.has(file.path))) continue;
      counted.files += 1;
      counted.bytes += file.bytes;
      yield Buffer.from(`${JSON.stringify(file)}\n`);
    }
  }
}
