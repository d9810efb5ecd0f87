import { rm } from 'node:fs/promises';
import type { Writable } from 'node:stream';
import { Presets, SingleBar } from 'cli-progress';
import {
  e5SmallV2,
  type InstallProgress,
  inspectModel,
  installModel,
  ModelUnavailableError,
  modelFolder,
} from '#models';

export interface Places {
  readonly dataFolder: string;
  readonly modelsFolder: string | null;
}

const MEGABYTE = 1_000_000;
const megabytes = (bytes: number) => (bytes / MEGABYTE).toFixed(1);

/** @returns the exit code */
export async function installModels(
  { dataFolder, modelsFolder }: Places,
  out: Writable & { readonly isTTY?: boolean },
  err: Writable,
): Promise<number> {
  const target = modelFolder(dataFolder);
  const files = await inspectModel(target);
  if (files.every((file) => file.checksumOk)) {
    out.write(`${e5SmallV2.name} is installed in ${target}\n`);
    return 0;
  }
  // Files of the right size and other content would be taken for the model.
  await rm(target, { recursive: true, force: true });
  const progress = out.isTTY ? progressBar(out) : progressLines(out);
  try {
    await installModel({ target, modelsFolder, onProgress: progress.show });
  } catch (error) {
    progress.end();
    if (!(error instanceof ModelUnavailableError)) throw error;
    err.write(`${e5SmallV2.name} could not be installed. What each source said:\n`);
    for (const { source, problem } of error.attempts) err.write(`  ${source}: ${problem}\n`);
    err.write('The server works without it, and finds by words alone. To install it from another machine, copy ');
    err.write(`${e5SmallV2.files.map((file) => file.name).join(' and ')} to a folder and set MNEME_MODELS to it.\n`);
    return 1;
  }
  progress.end();
  out.write(`${e5SmallV2.name} is installed in ${target}\n`);
  return 0;
}

/** @returns the exit code: 1 unless every file is there and whole */
export async function listModels({ dataFolder }: Places, out: Writable): Promise<number> {
  const files = await inspectModel(modelFolder(dataFolder));
  out.write(`${e5SmallV2.name} (vector space ${e5SmallV2.space.name})\n`);
  for (const { path, bytes, expectedBytes, checksumOk } of files) {
    const size = bytes === null ? '' : `${megabytes(bytes)} of ${megabytes(expectedBytes)} MB, `;
    const state = bytes === null ? 'missing' : checksumOk ? 'checksum ok' : 'checksum WRONG';
    out.write(`  ${path}  ${size}${state}\n`);
  }
  if (files.every((file) => file.checksumOk)) return 0;
  out.write('  Get it with: mneme models install\n');
  return 1;
}

interface ProgressDisplay {
  show(progress: InstallProgress): void;
  end(): void;
}

function progressBar(out: Writable): ProgressDisplay {
  const format = '{source} {bar} {percentage} %, {received} of {all} MB';
  const bar = new SingleBar({ format, stream: out as NodeJS.WritableStream, hideCursor: true }, Presets.shades_classic);
  let shown = '';
  return {
    show({ source, receivedBytes, totalBytes }) {
      const payload = { source, received: megabytes(receivedBytes), all: megabytes(totalBytes) };
      // A bar for each source: what the one before had given stays to be seen.
      if (source !== shown) {
        bar.stop();
        bar.start(totalBytes, receivedBytes, payload);
        shown = source;
      } else bar.update(receivedBytes, payload);
    },
    end: () => bar.stop(),
  };
}

/** For a log file: a line for each source. */
function progressLines(out: Writable): ProgressDisplay {
  let shown = '';
  return {
    show({ source, totalBytes }) {
      if (source === shown) return;
      shown = source;
      out.write(`${source}: ${megabytes(totalBytes)} MB\n`);
    },
    end: () => {},
  };
}
