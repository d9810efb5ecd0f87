import type { Writable } from 'node:stream';
import {
  type FileReport,
  inspectModel,
  LocalResources,
  MODELS,
  modelFolder,
  packName,
  whisperBase,
} from '#ports/models';
import type { ModelFolders } from './model-folders.ts';
import { megabytes } from './model-progress.ts';

/**
 * Lists the models, and ffmpeg; returns exit code 1 if the default model or a language of the settings is incomplete, or
 * another embedding model is partly installed.
 */
export async function listModels(folders: ModelFolders, out: Writable): Promise<number> {
  const complete = [await listEmbedding(folders, out), await listExtraction(folders, out)];
  return complete.every((one) => one) ? 0 : 1;
}

async function listEmbedding({ dataFolder }: ModelFolders, out: Writable): Promise<boolean> {
  let allComplete = true;
  for (const model of MODELS) {
    const files = await inspectModel(modelFolder(dataFolder, model), model);
    const isWanted = model === MODELS[0] || files.some(({ bytes }) => bytes !== null);
    const isComplete = files.every(({ checksumOk }) => checksumOk);
    allComplete &&= isComplete || !isWanted;
    out.write(`${model.name} (vector space ${model.space.name}, licence ${model.licence})\n`);
    if (isWanted) for (const file of files) out.write(fileLine(file));
    const command = `Install with: mneme models install${model === MODELS[0] ? '' : ` ${model.name}`}`;
    if (!isComplete) out.write(`  ${model.advice ?? command}\n`);
  }
  return allComplete;
}

/** What reading of files needs. Speech is left out by many servers, so only a language is an error. */
async function listExtraction(folders: ModelFolders, out: Writable): Promise<boolean> {
  const settings = { ...folders, downloads: 'off' } as const;
  const others = (await new LocalResources(settings).installedLanguages()).filter(
    (language) => !folders.ocrLanguages.includes(language),
  );
  const resources = new LocalResources({ ...settings, ocrLanguages: [...folders.ocrLanguages, ...others] });
  const show = async (name: string, about: string, advice: string): Promise<boolean> => {
    const path = await resources.locate(name);
    out.write(`${name} (${about})\n  ${path === null ? advice : `${path}  present`}\n`);
    return path !== null;
  };
  const install = (name: string) => `Install with: mneme models install ${name}`;
  let allComplete = true;
  for (const name of folders.ocrLanguages.map(packName)) {
    allComplete = (await show(name, 'text in pictures, licence Apache-2.0', install(name))) && allComplete;
  }
  for (const name of others.map(packName)) {
    await show(name, 'text in pictures, not used: its language is not in MNEME_OCR_LANGUAGES', install(name));
  }
  const { name, licence } = whisperBase;
  await show(name, `speech, licence ${licence}`, install(name));
  await show(
    'ffmpeg',
    'a program, for sound and video',
    'Install with: apt-get install ffmpeg, or brew install ffmpeg',
  );
  return allComplete;
}

function fileLine({ path, bytes, expectedBytes, checksumOk }: FileReport): string {
  const size = bytes === null ? '' : `${megabytes(bytes)} of ${megabytes(expectedBytes)} MB, `;
  const state = bytes === null ? 'missing' : checksumOk ? 'checksum ok' : 'checksum WRONG';
  return `  ${path}  ${size}${state}\n`;
}
