import { createHash } from 'node:crypto';
import { type FileHandle, mkdir, open } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { mnemeError } from '#platform/kernel';
import type { ModelFile } from './model-files.ts';

/** The received bytes are not the expected file. */
export class WrongFileError extends mnemeError('permanent', 'wrong_file') {}

/** Writes one file of a model and checks its size and checksum. */
export class FileWriter {
  readonly #file: ModelFile;
  readonly #path: string;
  #handle: FileHandle;
  #sum = createHash('sha256');
  #bytes = 0;

  /** Creates a file, calls `write`, and syncs the file. @throws WrongFileError; what `write` throws */
  static async with(folder: string, file: ModelFile, write: (writer: FileWriter) => Promise<void>): Promise<void> {
    const path = join(folder, file.name);
    await mkdir(dirname(path), { recursive: true });
    const writer = new FileWriter(file, path, await open(path, 'w'));
    try {
      await write(writer);
      await writer.#finish();
    } finally {
      await writer.#handle.close();
    }
  }

  private constructor(file: ModelFile, path: string, handle: FileHandle) {
    this.#file = file;
    this.#path = path;
    this.#handle = handle;
  }

  /** Bytes written so far. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Empties the file. */
  async restart(): Promise<void> {
    await this.#handle.close();
    this.#handle = await open(this.#path, 'w');
    this.#sum = createHash('sha256');
    this.#bytes = 0;
  }

  /** Writes the chunks and calls `received` with the length of each. @throws WrongFileError if they are too many */
  async append(chunks: AsyncIterable<Uint8Array>, received: (bytes: number) => void): Promise<void> {
    for await (const chunk of chunks) {
      received(chunk.length);
      await this.#write(chunk);
    }
  }

  async #write(chunk: Uint8Array): Promise<void> {
    this.#bytes += chunk.length;
    if (this.#bytes > this.#file.bytes) {
      throw new WrongFileError(`${this.#file.name} is longer than the expected ${this.#file.bytes} bytes`);
    }
    this.#sum.update(chunk);
    await this.#handle.writeFile(chunk);
  }

  async #finish(): Promise<void> {
    if (this.#bytes !== this.#file.bytes) {
      throw new WrongFileError(`${this.#file.name} has ${this.#bytes} bytes; expected: ${this.#file.bytes}`);
    }
    const sum = this.#sum.digest('hex');
    if (sum !== this.#file.sha256) {
      throw new WrongFileError(`${this.#file.name} has checksum ${sum}; expected: ${this.#file.sha256}`);
    }
    await this.#handle.sync();
  }
}
