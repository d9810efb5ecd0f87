import { type ChildProcess, fork } from 'node:child_process';
import { errorFromRecord } from '#kernel';
import type { CrossEncoderSetup } from './cross-encoder/cross-encoder.child.ts';
import type { Comparison, FromPassages, PassageSetup, Portion, Portioned } from './passages.child.ts';
import { EmbeddingInterruptedError } from './port.ts';

const fromSource = import.meta.url.endsWith('.ts');
const CHILD = new URL(`./passages.child.${fromSource ? 'ts' : 'js'}`, import.meta.url);

interface Waiting {
  /** @param vectors of a portion; null: a comparison is over */
  resolve(vectors: Float32Array | null): void;
  scored?(text: number, score: number): void;
  reject(error: Error): void;
}

/** Characters of the child's last output that are kept for the reason of its end. */
const STDERR_TAIL = 2_000;

/** The parent's side of the passage process. */
export class PassageProcess {
  /** Resident memory of the process at its last answer. Bytes. */
  rssBytes = 0;
  readonly ended: Promise<void>;
  readonly #child: ChildProcess;
  readonly #waiting = new Map<number, Waiting>();
  #lastId = 0;
  #gone = false;

  /** @param child module of the process */
  constructor(setup: PassageSetup | CrossEncoderSetup, child = CHILD) {
    this.#child = fork(child, [JSON.stringify(setup)], {
      execArgv: [...(fromSource ? ['--conditions=mneme-source'] : []), '--disable-warning=ExperimentalWarning'],
      // Structured clones, because vectors as JSON are slow.
      serialization: 'advanced',
      // Not inherited: a child that starts makes a shared pipe blocking, also for this process.
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    });
    this.#child.on('message', (message: FromPassages) => this.#settle(message));
    let stderr = '';
    this.#child.stderr?.on('data', (text: Buffer) => {
      stderr = (stderr + text).slice(-STDERR_TAIL);
    });
    this.ended = new Promise((resolve) => {
      const end = (reason: string) => {
        this.#gone = true;
        for (const { reject } of this.#waiting.values()) reject(new EmbeddingInterruptedError(reason));
        this.#waiting.clear();
        resolve();
      };
      this.#child.on('error', (error) => end(`the embedding process cannot be reached: ${error.message}`));
      this.#child.on('exit', (code, signal) => {
        end(`the embedding process ended (${signal ?? `code ${code}`}) ${stderr}`.trimEnd());
      });
    });
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  /** Whether the process has ended. */
  get gone(): boolean {
    return this.#gone;
  }

  /** Returns the rows in one array. @throws EmbeddingInterruptedError if the process ends before it answers */
  embed(passages: readonly Portioned[]): Promise<Float32Array> {
    return new Promise((resolve, reject) => {
      const id = ++this.#lastId;
      this.#send({ id, passages }, { resolve: (vectors) => resolve(vectors as Float32Array), reject });
    });
  }

  /**
   * Compares a question with texts before all portions that wait, and resolves when it has compared them or is out of time.
   * @param scored called for each text that is compared
   * @throws EmbeddingInterruptedError if the process ends first
   */
  compare(comparison: Omit<Comparison, 'id'>, scored: (text: number, score: number) => void): Promise<void> {
    return new Promise((resolve, reject) => {
      const id = ++this.#lastId;
      this.#send({ id, ...comparison }, { resolve: () => resolve(), scored, reject });
    });
  }

  #send(message: Portion | Comparison, waiting: Waiting): void {
    this.#waiting.set(message.id, waiting);
    this.#child.send(message, (error) => {
      if (!error) return;
      this.#waiting.delete(message.id);
      waiting.reject(new EmbeddingInterruptedError(`the embedding process cannot be reached: ${error.message}`));
    });
  }

  /** Kills the process, which has no state to save. */
  async stop(): Promise<void> {
    if (!this.#gone) this.#child.kill('SIGKILL');
    await this.ended;
  }

  #settle(message: FromPassages): void {
    const waiting = this.#waiting.get(message.id);
    if ('score' in message) {
      waiting?.scored?.(message.text, message.score);
      return;
    }
    this.#waiting.delete(message.id);
    if ('error' in message) {
      waiting?.reject(errorFromRecord(message.error));
    } else {
      this.rssBytes = message.rssBytes;
      waiting?.resolve('vectors' in message ? message.vectors : null);
    }
  }
}
