import { setTimeout as pause } from 'node:timers/promises';
import { FileWriter, WrongFileError } from './file-writer.ts';
import type { ModelFile } from './model-files.ts';
import type { FetchControl, ModelSource } from './source.ts';

/** Before each further try of a download whose connection broke; from the first one on again after each that brought more. Milliseconds. */
const PAUSES = [1_000, 2_000, 4_000, 8_000];

/** The answer says that the file cannot be had. */
class HubAnswerError extends Error {
  override readonly name = 'HubAnswerError';
  readonly isTemporary: boolean;

  constructor(url: string, status: number) {
    super(`${url} answered ${status}`);
    this.isTemporary = status === 429 || status >= 500;
  }
}

/**
 * Downloads the files of a model from the hub. A file whose connection breaks is continued where it broke.
 * @param baseUrl of huggingface.co or a mirror, without a trailing slash
 */
export function hubSource(baseUrl = 'https://huggingface.co', pauses: readonly number[] = PAUSES): ModelSource {
  return {
    name: 'model hub',
    async fetch(model, target, control) {
      const { hub } = model;
      if (hub === undefined) throw new Error('the hub has no such model');
      for (const file of model.files) {
        const url = `${baseUrl}/${hub.repository}/resolve/${hub.revision}/${file.hubPath}`;
        await FileWriter.with(target, file, (writer) => download(url, file, { writer, control, pauses }));
      }
    },
  };
}

interface Download {
  readonly writer: FileWriter;
  readonly control: FetchControl;
  readonly pauses: readonly number[];
}

async function download(url: string, file: ModelFile, { writer, control, pauses }: Download): Promise<void> {
  let most = 0;
  for (let failures = 0; ; failures += 1) {
    try {
      await receive(url, writer, control);
      return;
    } catch (error) {
      control.signal.throwIfAborted();
      if (writer.bytes > most) failures = 0;
      most = Math.max(most, writer.bytes);
      const wait = pauses[failures];
      // A hub that cannot be reached at all leaves the turn to the next source at once.
      if (most === 0 || isFinal(error)) throw error;
      if (wait === undefined)
        throw new Error(`the connection breaks again and again within ${file.name}`, { cause: error });
      await pause(wait, undefined, { signal: control.signal });
      control.received(0);
    }
  }
}

/** Receives what the file lacks, or all of it if the hub sends no part of a file. */
async function receive(url: string, writer: FileWriter, { signal, received }: FetchControl): Promise<void> {
  const from = writer.bytes;
  // The bytes that are there are those of the file, not those of a compressed form of it.
  const part = from > 0 && { headers: { Range: `bytes=${from}-`, 'Accept-Encoding': 'identity' } };
  const response = await fetch(url, { signal, ...part });
  if (!response.ok || response.body === null) throw new HubAnswerError(url, response.status);
  const isPart = response.status === 206 && response.headers.get('content-range')?.startsWith(`bytes ${from}-`);
  if (from > 0 && !isPart) {
    received(-from);
    await writer.restart();
  }
  await writer.append(response.body, received);
}

/** A repetition gives the same. */
function isFinal(error: unknown): boolean {
  if (error instanceof HubAnswerError) return !error.isTemporary;
  // Errors of the disk have the name of the call that failed; those of a connection that broke have none.
  const isOfDisk =
    error instanceof Error && 'syscall' in error && /^(?:write|open|close|fsync)$/.test(String(error.syscall));
  return error instanceof WrongFileError || isOfDisk;
}
