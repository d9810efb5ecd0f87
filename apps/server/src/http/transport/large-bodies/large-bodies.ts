import { type FileHandle, mkdir, open, rm } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { join } from 'node:path';
import type { Worker } from 'node:worker_threads';
import { invalid } from '#platform/input';
import { newId, translateFileError } from '#platform/kernel';
import { connect, type Remote, startWorker } from '#platform/thread-calls';
import { payloadTooLarge } from '../../errors/api-error.ts';
import type { HttpOptions } from '../../options.ts';
import { discard } from '../discard.ts';
import type { BodyApi, BodySource, ExpectedBody } from './body.worker.ts';
import { bodyRefusalError } from './body-refusal-error.ts';
import { ByteBudget } from './byte-budget.ts';
import { ValueBuilder } from './tokens.ts';

/** The thread ends after this time without work, which returns its memory. Milliseconds. */
const IDLE_MS = 60_000;

/** Bodies that are in use at the same time, in bodies of the largest size. */
const IN_USE = 2;

interface Thread {
  readonly worker: Worker;
  readonly remote: Remote<BodyApi>;
}

/** A body, and the function that must be called when nothing needs it any more. */
export interface HeldBody {
  readonly value: unknown;
  readonly release: () => void;
}

/**
 * Reads large bodies without blocking the main thread and within limits of memory: a body is received into a file, parsed by
 * a thread when its turn comes, and its known fields arrive in pieces.
 */
export class LargeBodies {
  readonly #folder: string;
  readonly #maxBytes: number;
  readonly #budget: ByteBudget;
  #thread: Thread | null = null;
  #idle: NodeJS.Timeout | null = null;
  #reading = 0;
  #lastId = 0;

  constructor({ uploadFolder, maxBodyBytes }: Pick<HttpOptions, 'uploadFolder' | 'maxBodyBytes'>) {
    this.#folder = uploadFolder;
    this.#maxBytes = maxBodyBytes;
    this.#budget = new ByteBudget(IN_USE * maxBodyBytes);
  }

  /**
   * Receives the rest of a body and reads it.
   * @param begun what has arrived of it
   * @throws ApiError if it is too long, incomplete, or no JSON within the limits; ResourceError without space for the file
   */
  async receive(payload: IncomingMessage, begun: readonly Buffer[], expected: ExpectedBody): Promise<HeldBody> {
    const path = join(this.#folder, `${newId()}.body`);
    try {
      const bytes = await this.#toFile(path, payload, begun);
      return await this.read(path, bytes, expected);
    } finally {
      await rm(path, { force: true });
    }
  }

  /** @throws ApiError if it is no JSON within the limits */
  async read(source: BodySource, bytes: number, expected: ExpectedBody): Promise<HeldBody> {
    const release = await this.#budget.take(bytes);
    this.#reading += 1;
    try {
      return { value: await this.#valueOf(source, expected), release };
    } catch (error) {
      release();
      throw error;
    } finally {
      this.#reading -= 1;
      this.#endWhenIdle();
    }
  }

  async close(): Promise<void> {
    if (this.#idle !== null) clearTimeout(this.#idle);
    const thread = this.#thread;
    this.#thread = null;
    thread?.remote.close();
    await thread?.worker.terminate();
  }

  async #toFile(path: string, payload: IncomingMessage, begun: readonly Buffer[]): Promise<number> {
    let length = 0;
    // Another process that shares the data folder may have taken it for one that is left over.
    await mkdir(this.#folder, { recursive: true, mode: 0o700 }).catch(failWith);
    await using file = await open(path, 'wx', 0o600).catch(failWith);
    const add = async (chunk: Buffer): Promise<void> => {
      length += chunk.length;
      if (length > this.#maxBytes) throw payloadTooLarge(null, `The body is larger than ${this.#maxBytes} bytes`);
      await write(file, chunk);
    };
    try {
      for (const chunk of begun) await add(chunk);
      for await (const chunk of chunksOf(payload)) await add(chunk);
      return length;
    } catch (error) {
      // The client reads the answer only after it has sent the body.
      await discard(payload);
      throw error;
    }
  }

  async #valueOf(source: BodySource, expected: ExpectedBody): Promise<unknown> {
    const { remote } = this.#running();
    this.#lastId += 1;
    const id = this.#lastId;
    const builder = new ValueBuilder();
    let piece = await remote.call('open', id, source, expected);
    if ('refusal' in piece) throw bodyRefusalError(piece.refusal);
    for (;;) {
      builder.add(piece.tokens);
      if (piece.isLast) return builder.value;
      piece = await remote.call('next', id);
    }
  }

  #running(): Thread {
    if (this.#idle !== null) clearTimeout(this.#idle);
    this.#idle = null;
    if (this.#thread === null) {
      const worker = startWorker(new URL('./body.worker.ts', import.meta.url));
      const thread = { worker, remote: connect<BodyApi>(worker) };
      thread.remote.onGone(() => {
        if (this.#thread === thread) this.#thread = null;
      });
      this.#thread = thread;
    }
    return this.#thread;
  }

  #endWhenIdle(): void {
    if (this.#reading > 0 || this.#thread === null) return;
    this.#idle = setTimeout(() => void this.close(), IDLE_MS).unref();
  }
}

/** Yields what arrives, and leaves the connection open if the iteration ends early. */
async function* chunksOf(payload: IncomingMessage): AsyncGenerator<Buffer> {
  try {
    yield* payload.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>;
  } catch {
    throw invalid('body', 'The request ended before its body was complete');
  }
}

async function write(file: FileHandle, chunk: Buffer): Promise<void> {
  await file.writeFile(chunk).catch(failWith);
}

function failWith(error: unknown): never {
  throw translateFileError(error);
}
