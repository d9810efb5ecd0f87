import { rm } from 'node:fs/promises';
import type { Writable } from 'node:stream';
import {
  type FileReport,
  findModel,
  type InstallProgress,
  inspectModel,
  installModel,
  MODELS,
  ModelUnavailableError,
  modelFolder,
} from '#models';
import { ProgressBars } from '#terminal';

export interface ModelFolders {
  readonly dataFolder: string;
  readonly modelsFolder: string | null;
}

const MEGABYTE = 1_000_000;
const megabytes = (bytes: number) => (bytes / MEGABYTE).toFixed(1);

/** Installs a model and returns the exit code. @param name of a model or vector space. Default: the default model. */
export async function installModels(
  { dataFolder, modelsFolder, name }: ModelFolders & { readonly name?: string | undefined },
  out: Writable & { readonly isTTY?: boolean },
  err: Writable,
): Promise<number> {
  const model = name === undefined ? MODELS[0] : findModel(name);
  if (model === null) {
    err.write(`Unknown model ${name}. Known models: ${MODELS.map((one) => one.name).join(', ')}\n`);
    return 1;
  }
  const target = modelFolder(dataFolder, model);
  const files = await inspectModel(target, model);
  if (files.every((file) => file.checksumOk)) {
    out.write(`${model.name} is installed in ${target}\n`);
    return 0;
  }
  // The download skips existing files of the right size, whatever their content.
  await rm(target, { recursive: true, force: true });
  const progress = progressDisplay(out);
  try {
    await installModel({ target, model, modelsFolder, onProgress: progress.show });
  } catch (error) {
    progress.end();
    if (!(error instanceof ModelUnavailableError)) throw error;
    err.write(`${model.name} could not be installed:\n`);
    for (const { source, problem } of error.attempts) err.write(`  ${source}: ${problem}\n`);
    err.write('Without it the server searches by words only. To install it from another machine, copy ');
    err.write(`${model.files.map((file) => file.name).join(' and ')} to a folder and set MNEME_MODELS to its path.\n`);
    return 1;
  }
  progress.end();
  out.write(`${model.name} is installed in ${target}\n`);
  return 0;
}

/** Lists the models; returns exit code 1 if the default model is incomplete or another one is partly installed. */
export async function listModels({ dataFolder }: ModelFolders, out: Writable): Promise<number> {
  let allComplete = true;
  for (const model of MODELS) {
    const files = await inspectModel(modelFolder(dataFolder, model), model);
    const isWanted = model === MODELS[0] || files.some(({ bytes }) => bytes !== null);
    const isComplete = files.every(({ checksumOk }) => checksumOk);
    allComplete &&= isComplete || !isWanted;
    out.write(`${model.name} (vector space ${model.space.name}, licence ${model.licence})\n`);
    if (isWanted) for (const file of files) out.write(fileLine(file));
    if (!isComplete) out.write(`  Install with: mneme models install${model === MODELS[0] ? '' : ` ${model.name}`}\n`);
  }
  return allComplete ? 0 : 1;
}

function fileLine({ path, bytes, expectedBytes, checksumOk }: FileReport): string {
  const size = bytes === null ? '' : `${megabytes(bytes)} of ${megabytes(expectedBytes)} MB, `;
  const state = bytes === null ? 'missing' : checksumOk ? 'checksum ok' : 'checksum WRONG';
  return `  ${path}  ${size}${state}\n`;
}

interface ProgressDisplay {
  show(progress: InstallProgress): void;
  end(): void;
}

function progressDisplay(out: Writable & { readonly isTTY?: boolean }): ProgressDisplay {
  const bars = ProgressBars.on(out, { format: '{source} {bar} {percentage} %, {received} of {all} MB' });
  if (bars === null) return progressLines(out);
  return {
    // A bar per source; the bar of the previous source stays visible.
    show: ({ source, receivedBytes, totalBytes }) =>
      bars.show(source, receivedBytes, totalBytes, {
        source,
        received: megabytes(receivedBytes),
        all: megabytes(totalBytes),
      }),
    end: () => bars.end(),
  };
}

/** One line per source, for log files. */
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
