import { stat } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { type ComparisonResult, Comparisons } from '../comparisons.ts';
import type { OnnxFiles } from '../onnx-model.ts';
import { type ModelProgram, PassageProcess } from '../passage-process.ts';
import type { ComparisonOptions } from '../port.ts';
import type { CrossEncoderSetup } from './cross-encoder.child.ts';

/** Name of its folder. */
const FOLDER = 'cross-encoder';
const MOST_THREADS = 4;
/** The process ends after this time without work. Milliseconds. */
const IDLE_MS = 15 * 60_000;

const MIB = 1024 * 1024;
const PROGRAM: ModelProgram = {
  name: 'process of the cross-encoder',
  entry: new URL('./cross-encoder.child.ts', import.meta.url),
  limits: { rssBytes: 2_560 * MIB, heapMb: 512 },
};

/** Returns the paths of the cross-encoder in a folder of models. Null: the folder holds none. */
export async function findCrossEncoder(modelsFolder: string | null): Promise<OnnxFiles | null> {
  if (modelsFolder === null) return null;
  const files = {
    model: join(modelsFolder, FOLDER, 'model.onnx'),
    tokenizer: join(modelsFolder, FOLDER, 'tokenizer.json'),
  };
  const found = await Promise.all(Object.values(files).map((path) => stat(path).catch(() => null)));
  return found.every((one) => one?.isFile()) ? files : null;
}

/** A cross-encoder in a process of its own, which is started by the first question and ends when it has no work. */
export class CrossEncoder {
  readonly #setup: CrossEncoderSetup;
  readonly #comparisons = new Comparisons();
  #process: PassageProcess | null = null;
  #idleTimer: NodeJS.Timeout | undefined;

  constructor(files: OnnxFiles) {
    this.#setup = { files, threads: Math.min(availableParallelism(), MOST_THREADS) };
  }

  /** Compares a question with texts as `Comparisons` does. A score is the logit of being an answer. */
  async compare(question: string, texts: readonly string[], options: ComparisonOptions): Promise<ComparisonResult> {
    clearTimeout(this.#idleTimer);
    const process = () => {
      if (this.#process === null || this.#process.gone) this.#process = new PassageProcess(this.#setup, PROGRAM);
      return this.#process;
    };
    const compared = await this.#comparisons.compare(process, { ...options, value: async () => question, texts });
    clearTimeout(this.#idleTimer);
    this.#idleTimer = setTimeout(() => void this.#stop(), IDLE_MS).unref();
    return compared;
  }

  async close(): Promise<void> {
    clearTimeout(this.#idleTimer);
    await this.#stop();
  }

  async #stop(): Promise<void> {
    await this.#process?.stop();
    this.#process = null;
  }
}
