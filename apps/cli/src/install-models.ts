import { rm } from 'node:fs/promises';
import type { Writable } from 'node:stream';
import {
  findModel,
  inspectModel,
  installModel,
  installPack,
  LocalResources,
  MODELS,
  ModelUnavailableError,
  modelFolder,
  packLanguage,
  packName,
  type Weights,
  whisperBase,
} from '#ports/models';
import type { ModelFolders } from './model-folders.ts';
import { ProgressDisplay } from './model-progress.ts';
import type { Output } from './output.ts';

/** One model that can be installed. */
interface InstallableModel {
  readonly name: string;
  /** Returns the folder or file where it is. Null: it is not installed, or not completely. */
  find(): Promise<string | null>;
  /** @returns the folder @throws ModelUnavailableError */
  install(progress: ProgressDisplay): Promise<string>;
  /** Completes the sentence after the problems. */
  readonly advice: string;
}

/**
 * Installs models and returns the exit code.
 * @param names of models, vector spaces and languages (`ocr-deu`); empty: the default embedding model
 */
export async function installModels(
  folders: ModelFolders,
  names: readonly string[],
  out: Output,
  err: Writable,
): Promise<number> {
  const wanted = (names.length === 0 ? [MODELS[0].name] : names).map((name) => ({
    name,
    model: installableNamed(folders, name),
  }));
  const unknown = wanted.filter(({ model }) => model === null).map(({ name }) => name);
  if (unknown.length > 0) {
    const known = [...MODELS.map((one) => one.name), whisperBase.name, packName('<language>')];
    err.write(`Unknown model ${unknown.join(', ')}. Known models: ${known.join(', ')}\n`);
    return 1;
  }
  let code = 0;
  for (const { model } of wanted) if (model !== null && !(await install(model, out, err))) code = 1;
  return code;
}

async function install(model: InstallableModel, out: Output, err: Writable): Promise<boolean> {
  const present = await model.find();
  if (present !== null) {
    out.write(`${model.name} is installed in ${present}\n`);
    return true;
  }
  const progress = ProgressDisplay.on(out);
  try {
    const folder = await model.install(progress);
    progress.end();
    out.write(`${model.name} is installed in ${folder}\n`);
    return true;
  } catch (error) {
    progress.end();
    if (!(error instanceof ModelUnavailableError)) throw error;
    err.write(`${model.name} could not be installed:\n`);
    for (const { source, problem } of error.attempts) err.write(`  ${source}: ${problem}\n`);
    err.write(`${model.advice}\n`);
    return false;
  }
}

/** Returns null if no model has this name. */
function installableNamed(folders: ModelFolders, name: string): InstallableModel | null {
  const model = findModel(name);
  if (model !== null) return embedding(folders, model);
  if (name === whisperBase.name) return speech(folders);
  const language = packLanguage(name);
  return language === null ? null : pack(folders, language);
}

function embedding({ dataFolder, modelsFolder }: ModelFolders, model: Weights): InstallableModel {
  const target = modelFolder(dataFolder, model);
  return {
    name: model.name,
    find: async () => ((await inspectModel(target, model)).every((file) => file.checksumOk) ? target : null),
    install: async (progress) => {
      // The download skips existing files of the right size, whatever their content.
      await rm(target, { recursive: true, force: true });
      return installModel({ target, model, modelsFolder, onProgress: progress.show });
    },
    advice: `Without it the server searches by words only. ${model.advice ?? `To install it from another machine, copy ${model.files.map((file) => file.name).join(' and ')} to a folder and set MNEME_MODELS to its path.`}`,
  };
}

function speech({ dataFolder, modelsFolder }: ModelFolders): InstallableModel {
  const { name } = whisperBase;
  return {
    name,
    find: () => locate({ dataFolder, modelsFolder }, name, []),
    install: (progress) =>
      // A folder with the model is used as it is, wherever its files come from; so only the hub is left.
      installModel({ target: modelFolder(dataFolder, whisperBase), model: whisperBase, onProgress: progress.show }),
    advice: `Without it the server reads no sound and no video. To install it from another machine, copy its folder ${name} to a folder and set MNEME_MODELS to the path of the latter.`,
  };
}

function pack({ dataFolder, modelsFolder }: ModelFolders, language: string): InstallableModel {
  const name = packName(language);
  return {
    name,
    find: () => locate({ dataFolder, modelsFolder }, name, [language]),
    install: (progress) => progress.during('npm registry', () => installPack({ dataFolder, language })),
    advice: `Without it the server reads no text of this language in pictures. To install it from another machine, copy ${language}.traineddata.gz to a folder and set MNEME_MODELS to its path.`,
  };
}

const locate = (folders: Pick<ModelFolders, 'dataFolder' | 'modelsFolder'>, name: string, ocrLanguages: string[]) =>
  new LocalResources({ ...folders, ocrLanguages, ffmpeg: null, downloads: 'off' }).locate(name);
