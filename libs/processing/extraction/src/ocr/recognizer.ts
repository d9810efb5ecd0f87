import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import type { Worker } from 'tesseract.js';
import { newId } from '#platform/kernel';
import { MissingResourceError } from '../failures.ts';
import { type ExtractionResources, weightFiles } from '../resources.ts';
import type { Picture } from './picture.ts';

type OcrResources = ExtractionResources['ocr'];

/** Kept between pictures, because loading the weights takes longer than reading a short one. */
let kept: { readonly weights: string; readonly worker: Worker } | null = null;

/**
 * Recognizes the letters of a picture, on a thread of its own.
 * @returns a table of words, in Tesseract's form
 * @throws MissingResourceError; Error if the recognizer fails
 */
export async function recognize(picture: Picture, resources: OcrResources): Promise<string> {
  const worker = await workerFor(resources);
  try {
    const { data } = await worker.recognize(portableGreymap(picture), {}, { tsv: true, text: false });
    return data.tsv ?? '';
  } catch (error) {
    // After a failure its state is not known.
    await endRecognizer();
    throw error instanceof Error ? error : new Error(String(error));
  }
}

/** Ends the thread. */
export async function endRecognizer(): Promise<void> {
  const worker = kept?.worker;
  kept = null;
  await worker?.terminate();
}

async function workerFor({ languages, folders }: OcrResources): Promise<Worker> {
  // Without a language it would wait for ever.
  if (languages.length === 0) throw new MissingResourceError('ocr-eng');
  const files = languages.map((language) => weightsOf(language, folders));
  const weights = files.join('\n');
  if (kept?.weights === weights) return kept.worker;
  await endRecognizer();
  const worker = await start(languages, files);
  kept = { weights, worker };
  return worker;
}

/** @throws MissingResourceError */
function weightsOf(language: string, folders: readonly string[]): string {
  for (const folder of folders) {
    for (const name of weightFiles(language)) {
      const path = join(folder, name);
      if (existsSync(path)) return path;
    }
  }
  throw new MissingResourceError(`ocr-${language}`);
}

async function start(languages: readonly string[], files: readonly string[]): Promise<Worker> {
  const { default: tesseract } = await import('tesseract.js');
  const { createWorker, OEM, PSM } = tesseract;
  // It takes weights from one folder.
  const langPath = join(tmpdir(), newId());
  mkdirSync(langPath, { recursive: true });
  for (const [i, path] of files.entries()) {
    const bytes = readFileSync(path);
    const isPacked = bytes[0] === 0x1f && bytes[1] === 0x8b;
    writeFileSync(join(langPath, `${languages[i]}.traineddata`), isPacked ? gunzipSync(bytes) : bytes);
  }
  try {
    const worker = await new Promise<Worker>((resolve, reject) => {
      // It never downloads: a folder is no address. A failure of the start reaches only `errorHandler`.
      const errorHandler = (reason: unknown) => reject(new Error(`the recognizer of text fails: ${String(reason)}`));
      const options = { langPath, gzip: false, cacheMethod: 'none', errorHandler };
      createWorker([...languages], OEM.LSTM_ONLY, options).then(resolve, reject);
    });
    await worker.setParameters({ tessedit_pageseg_mode: PSM.AUTO, user_defined_dpi: '200' });
    return worker;
  } finally {
    rmSync(langPath, { recursive: true, force: true });
  }
}

/** The one form of pictures without compression that the recognizer takes as it is. */
const portableGreymap = ({ data, width, height }: Picture): Buffer =>
  Buffer.concat([Buffer.from(`P5\n${width} ${height}\n255\n`, 'latin1'), data]);
