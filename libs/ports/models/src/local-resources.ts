import { access, constants, stat } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import type { ExtractionResources, MachineResources } from '#processing/extraction';
import { installModel } from './install-model.ts';
import { modelFolder, whisperBase } from './model-files.ts';
import { sourcesOf } from './model-sources.ts';
import { holdsPack, languagesIn, packFolders, packLanguage } from './ocr-packs.ts';
import type { ModelSource } from './source.ts';

export interface LocalResourcesOptions {
  readonly dataFolder: string;
  /** MNEME_MODELS. */
  readonly modelsFolder: string | null;
  readonly ocrLanguages: readonly string[];
  /** Null: the one in PATH. */
  readonly ffmpeg: string | null;
  /** Whether a model that a document needs may be downloaded. */
  readonly downloads: 'on' | 'off';
  readonly logger?: { info(message: string): void; warn(message: string): void };
  /** Of the Whisper model. Default: the hub. */
  readonly sources?: readonly ModelSource[];
}

const FFMPEG = 'ffmpeg';
/** Milliseconds for which an answer is kept, so that many short files do not each search the disk. */
const KEEP_MS = 1_000;
/** After a download that failed, none is tried for this time; doubled with each further one. Milliseconds. */
const PAUSE_MS = 60_000;
const MAX_PAUSE_MS = 15 * 60_000;

/** The weights and programs for extractors on this machine. */
export class LocalResources implements MachineResources {
  readonly #options: LocalResourcesOptions;
  readonly #closing = new AbortController();
  #kept: { readonly found: Promise<ExtractionResources>; readonly at: number } | null = null;
  #download: Promise<void> | null = null;
  #downloadFrom = Number.NEGATIVE_INFINITY;
  #failures = 0;

  constructor(options: LocalResourcesOptions) {
    this.#options = options;
  }

  /** Returns what is there, at most a second old. Never rejects. */
  find(): Promise<ExtractionResources> {
    const now = performance.now();
    if (this.#kept === null || now - this.#kept.at > KEEP_MS) this.#kept = { found: this.#find(), at: now };
    return this.#kept.found;
  }

  /** Returns the folder of a model, or the path of a program. Null: it is not there. Never rejects. */
  async locate(name: string): Promise<string | null> {
    const { ocr, speech } = await this.find();
    if (name === FFMPEG) return speech.ffmpeg;
    if (name === whisperBase.name) return speech.model;
    const language = packLanguage(name);
    return language === null ? null : first(ocr.folders, (folder) => holdsPack(folder, language));
  }

  /** Returns the languages whose weights were installed here, among the settings or not. Never rejects. */
  installedLanguages(): Promise<readonly string[]> {
    return languagesIn(this.#parents);
  }

  async has(name: string): Promise<boolean> {
    const language = packLanguage(name);
    // A language that is no longer among the settings is not needed.
    if (language !== null && !this.#options.ocrLanguages.includes(language)) return true;
    return (await this.locate(name)) !== null;
  }

  /** Looks again, and downloads the Whisper model from the hub if that is allowed. Calls share one download. */
  async obtain(name: string): Promise<boolean> {
    this.#kept = null;
    if (await this.has(name)) return true;
    if (name !== whisperBase.name || this.#options.downloads === 'off') return false;
    if (performance.now() < this.#downloadFrom) return false;
    this.#download ??= this.#install().finally(() => {
      this.#download = null;
      this.#kept = null;
    });
    await this.#download;
    return this.has(name);
  }

  /** Ends a download. */
  async close(): Promise<void> {
    this.#closing.abort(new Error('The server stops'));
    await this.#download;
  }

  /** Folders with models, in the order in which they are searched. */
  get #parents(): readonly string[] {
    const { dataFolder, modelsFolder } = this.#options;
    return [...(modelsFolder === null ? [] : [modelsFolder]), join(dataFolder, 'models')];
  }

  async #install(): Promise<void> {
    const { dataFolder, logger, sources = sourcesOf(whisperBase, null) } = this.#options;
    try {
      logger?.info(`Fetching model ${whisperBase.name}`);
      const target = modelFolder(dataFolder, whisperBase);
      await installModel({ target, model: whisperBase, sources, signal: this.#closing.signal });
      logger?.info(`Model ${whisperBase.name} is installed`);
      this.#failures = 0;
    } catch (error) {
      this.#downloadFrom = performance.now() + Math.min(PAUSE_MS * 2 ** this.#failures, MAX_PAUSE_MS);
      this.#failures += 1;
      logger?.warn(`Speech is not read: ${(error as Error).message}`);
    }
  }

  async #find(): Promise<ExtractionResources> {
    const { ocrLanguages, ffmpeg } = this.#options;
    const parents = this.#parents;
    const models = parents.map((parent) => join(parent, whisperBase.name));
    const programs = ffmpeg === null ? inPath(FFMPEG) : [ffmpeg];
    return {
      ocr: { languages: ocrLanguages, folders: ocrLanguages.flatMap((language) => packFolders(language, parents)) },
      speech: { model: await first(models, holdsWhisper), ffmpeg: await first(programs, isProgram) },
    };
  }
}

const inPath = (program: string): readonly string[] => {
  const name = process.platform === 'win32' ? `${program}.exe` : program;
  const folders = (process.env.PATH ?? '').split(delimiter).filter((folder) => folder !== '');
  return folders.map((folder) => join(folder, name));
};

/** Files that were converted elsewhere count as well, so only their presence is looked at. */
async function holdsWhisper(folder: string): Promise<boolean> {
  const sizes = await Promise.all(whisperBase.files.map(({ name }) => stat(join(folder, name)).catch(() => null)));
  return sizes.every((found) => found?.isFile() === true && found.size > 0);
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
