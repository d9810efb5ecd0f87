import { type FileHandle, open, rm, stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { type BackupFile, digestOf, pathIn, readFileList, writeSynced } from './manifest.ts';

/** The list of a backup's files. It is written as files are copied, and at the end without those that were removed. */
export class FileList {
  readonly #path: string;
  readonly #draftPath: string;
  #draft: FileHandle | null = null;
  /** Writes one line after the other. */
  #written: Promise<unknown> = Promise.resolve();

  constructor(path: string) {
    this.#path = path;
    this.#draftPath = `${path}.draft`;
  }

  async open(): Promise<void> {
    this.#draft = await open(this.#draftPath, 'wx', 0o600);
  }

  async add(file: BackupFile): Promise<void> {
    this.#written = this.#written.then(() => this.#draft?.writeFile(`${JSON.stringify(file)}\n`));
    await this.#written;
  }

  /** @returns the list itself as a file, and the number and size of the files in it */
  async finish(folder: string): Promise<{ readonly files: number; readonly bytes: number; readonly list: BackupFile }> {
    await this.close();
    let [files, bytes] = [0, 0];
    await writeSynced(this.#path, async (list) => {
      for await (const file of readFileList(this.#draftPath)) {
        if ((await stat(pathIn(folder, file.path)).catch(() => null)) === null) continue;
        await list.writeFile(`${JSON.stringify(file)}\n`);
        files += 1;
        bytes += file.bytes;
      }
    });
    await rm(this.#draftPath);
    const digest = await digestOf(this.#path);
    if (digest === null) throw new Error(`${this.#path} is gone`);
    return { files, bytes, list: { path: basename(this.#path), ...digest } };
  }

  async close(): Promise<void> {
    await this.#written.catch(() => {});
    await this.#draft?.close();
    this.#draft = null;
  }
}
