import { readFile } from 'node:fs/promises';

/** Paths. */
export interface OnnxFiles {
  /** ONNX graph with its weights. */
  readonly model: string;
  /** `tokenizer.json` of the Hugging Face libraries. */
  readonly tokenizer: string;
}

/**
 * More than 512 tokens, the limit of the models, in any language. Without this limit a text of a megabyte would be tokenized
 * whole before it is cut.
 */
export const MAX_CHARACTERS = 20_000;

/**
 * Opens a graph and its tokenizer, for one text at a time.
 * @param threads of one inference
 * @throws Error if a file cannot be read, or the platform has no build of onnxruntime
 */
export async function openOnnxModel(files: OnnxFiles, threads: number) {
  const { Tokenizer } = await import('@huggingface/tokenizers');
  const tokenizer = new Tokenizer(JSON.parse(await readFile(files.tokenizer, 'utf8')), {});
  return { tokenizer, ...(await openSession(files, threads)) };
}

/** Opens a graph. @throws as `openOnnxModel` */
export async function openSession(files: Pick<OnnxFiles, 'model'>, threads: number) {
  // Imported here, because the library takes 50 MB and processes that never open a model load this file.
  const { InferenceSession, Tensor } = await import('onnxruntime-node');
  const session = await InferenceSession.create(files.model, {
    intraOpNumThreads: threads,
    interOpNumThreads: 1,
    executionMode: 'sequential',
    graphOptimizationLevel: 'all',
    logSeverityLevel: 3,
    // The arena keeps 18 MB and saves no time with one short text at a time.
    enableCpuMemArena: false,
    // Spinning threads would take the core from other work.
    extra: { session: { intra_op: { allow_spinning: '0' } } },
  });
  return { session, Tensor };
}
