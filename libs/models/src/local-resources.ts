import { access, constants, stat } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { delimiter, dirname, join } from 'node:path';
import type { ExtractionResources, MachineResources } from '#extraction';

export interface LocalResourcesOptions {
  readonly dataFolder: string;
  /** MNEME_MODELS. */
  readonly modelsFolder: string | null;
  readonly ocrLanguages: readonly string[];
  /** Null: the one in PATH. */
  readonly ffmpeg: string | null;
}

const WHISPER = 'whisper-base';
const FFMPEG = 'ffmpeg';
/** In front of the name of a language. */
const OCR = 'ocr-';

/** Of a Whisper model: weights, settings and words. */
export const WHISPER_FILES = ['config.json', 'model.bin', 'tokenizer.json'];

/** Milliseconds for which an answer is kept, so that many short files do not each search the disk. */
const KEEP_MS = 1_000;

/** The weights and programs for extractors on this machine. */
export class LocalResources implements MachineResources {
  readonly #options: LocalResourcesOptions;
  #kept: { readonly found: Promise<ExtractionResources>; readonly at: number } | null = null;

  constructor(options: LocalResourcesOptions) {
    this.#options = options;
  }

  /** Returns what is there, at most a second old. Never rejects. */
  find(): Promise<ExtractionResources> {
    const now = performance.now();
    if (this.#kept === null || now - this.#kept.at > KEEP_MS) this.#kept = { found: this.#find(), at: now };
    return this.#kept.found;
  }

  async has(name: string): Promise<boolean> {
    const { ocr, speech } = await this.find();
    if (name === FFMPEG) return speech.ffmpeg !== null;
    if (name === WHISPER) return speech.model !== null;
    const language = name.startsWith(OCR) ? name.slice(OCR.length) : null;
    if (language === null) return false;
    // A language that is no longer among the settings is not needed.
    return (
      !ocr.languages.includes(language) || (await first(ocr.folders, (folder) => holdsPack(folder, language))) !== null
    );
  }

  /** Looks again. */
  obtain(name: string): Promise<boolean> {
    this.#kept = null;
    return this.has(name);
  }

  async #find(): Promise<ExtractionResources> {
    const { dataFolder, modelsFolder, ocrLanguages, ffmpeg } = this.#options;
    const parents = [...(modelsFolder === null ? [] : [modelsFolder]), join(dataFolder, 'models')];
    const models = parents.map((parent) => join(parent, WHISPER));
    const programs = ffmpeg === null ? inPath(FFMPEG) : [ffmpeg];
    return {
      ocr: { languages: ocrLanguages, folders: ocrLanguages.flatMap((language) => ocrFolders(language, parents)) },
      speech: { model: await first(models, holdsWhisper), ffmpeg: await first(programs, isProgram) },
    };
  }
}

/** Where the weights of a language may be, in the order in which they are looked for. */
function ocrFolders(language: string, parents: readonly string[]): readonly string[] {
  const own = parents.flatMap((parent) => [join(parent, `${OCR}${language}`), parent]);
  const bundled = packageFolder(`@tesseract.js-data/${language}`);
  // The weights for the neural network alone, then those that also hold the former recognizer.
  return bundled === null ? own : [...own, join(bundled, '4.0.0_best_int'), join(bundled, '4.0.0')];
}

const require = createRequire(import.meta.url);

function packageFolder(name: string): string | null {
  try {
    return dirname(require.resolve(`${name}/package.json`));
  } catch {
    return null;
  }
}

const inPath = (program: string): readonly string[] => {
  const names = process.platform === 'win32' ? [`${program}.exe`] : [program];
  const folders = (process.env.PATH ?? '').split(delimiter).filter((folder) => folder !== '');
  return folders.flatMap((folder) => names.map((name) => join(folder, name)));
};

async function holdsWhisper(folder: string): Promise<boolean> {
  const sizes = await Promise.all(WHISPER_FILES.map((name) => stat(join(folder, name)).catch(() => null)));
  return sizes.every((found) => found?.isFile() === true && found.size > 0);
}

async function holdsPack(folder: string, language: string): Promise<boolean> {
  const names = [`${language}.traineddata.gz`, `${language}.traineddata`];
  const found = await Promise.all(names.map((name) => stat(join(folder, name)).catch(() => null)));
  return found.some((one) => one?.isFile() === true && one.size > 0);
}

async function isProgram(path: string): Promise<boolean> {
  const found = await stat(path).catch(() => null);
  if (found?.isFile() !== true) return false;
  return access(path, constants.X_OK).then(
    () => true,
    () => false,
  );
}

async function first(paths: readonly string[], holds: (path: string) => Promise<boolean>): Promise<string | null> {
  for (const path of paths) if (await holds(path)) return path;
  return null;
}
