import { type ChildProcess, fork } from 'node:child_process';
import { watchMemory } from '#platform/child-jobs';
import { errorFromRecord } from '#platform/kernel';
import type { CrossEncoderSetup } from './cross-encoder/cross-encoder.child.ts';
import type { Comparison, EmbeddedPortion, FromPassages, PassageSetup, Portion } from './passages.child.ts';
import { EmbeddingInterruptedError } from './port.ts';

const fromSource = import.meta.url.endsWith('.ts');

/** A module that runs models in a process of its own. */
export interface ModelProgram {
  /** In sentences about the process. */
  readonly name: string;
  /** `new URL('./name.child.ts', import.meta.url)`, always the `.ts` name. */
  readonly entry: URL;
  /** Null: the caller replaces processes that have grown. */
  readonly limits: {
    /** Resident memory. Bytes. */
    readonly rssBytes: number;
    /** Old generation of the JavaScript heap. MiB. */
    readonly heapMb: number;
  } | null;
}

const PASSAGES: ModelProgram = {
  name: 'embedding process',
  entry: new URL('./passages.child.ts', import.meta.url),
  limits: null,
};
const MIB = 1024 * 1024;

interface WaitingRequest {
  /** @param embedded null: a comparison is over */
  resolve(embedded: EmbeddedPortion | null): void;
  scored?(text: number, score: number): void;
  reject(error: Error): void;
}

/** Characters of the child's last output that are kept for the reason of its end. */
const STDERR_TAIL = 2_000;

/** The parent's side of a process with models. */
export class PassageProcess {
  /** Resident memory of the process at its last answer. Bytes. */
  rssBytes = 0;
  readonly ended: Promise<void>;
  readonly #program: ModelProgram;
  readonly #child: ChildProcess;
  readonly #waiting = new Map<number, WaitingRequest>();
  #lastId = 0;
  #gone = false;
  #hasAnswered = false;
  /** Why it was stopped, as far as a reason was given. */
  #stopReason: string | null = null;

  constructor(setup: PassageSetup | CrossEncoderSetup, program = PASSAGES) {
    const { entry, limits } = program;
    this.#program = program;
    this.#child = fork(fromSource ? entry : new URL(entry.href.replace(/\.ts$/, '.js')), [JSON.stringify(setup)], {
      execArgv: [
        ...(limits === null ? [] : [`--max-old-space-size=${limits.heapMb}`]),
        ...(fromSource ? ['--conditions=mneme-source'] : []),
        '--disable-warning=ExperimentalWarning',
      ],
      // Structured clones, because vectors as JSON are slow.
      serialization: 'advanced',
      // Not inherited: a child that starts makes a shared pipe blocking, also for this process.
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    });
    this.#child.on('message', (message: FromPassages) => this.#settle(message));
    const endWatch = this.#watched();
    let stderr = '';
    this.#child.stderr?.on('data', (text: Buffer) => {
      stderr = (stderr + text).slice(-STDERR_TAIL);
    });
    this.ended = new Promise((resolve) => {
      const end = (reason: string) => {
        this.#gone = true;
        endWatch();
        for (const { reject } of this.#waiting.values()) {
          reject(new EmbeddingInterruptedError(`the ${program.name} ${this.#stopReason ?? reason}`));
        }
        this.#waiting.clear();
        resolve();
      };
      this.#child.on('error', (error) => end(`cannot be reached: ${error.message}`));
      this.#child.on('exit', (code, signal) => {
        end(`ended (${signal ?? `code ${code}`}) ${stderr}`.trimEnd());
      });
    });
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  /** Whether its models are loaded. */
  get hasAnswered(): boolean {
    return this.#hasAnswered;
  }

  /** Whether the process has ended. */
  get gone(): boolean {
    return this.#gone;
  }

  /** @throws EmbeddingInterruptedError if the process ends before it answers */
  embed(portion: Omit<Portion, 'id'>): Promise<EmbeddedPortion> {
    return new Promise((resolve, reject) => {
      const id = ++this.#lastId;
      this.#send({ id, ...portion }, { resolve: (embedded) => resolve(embedded as EmbeddedPortion), reject });
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

  #send(message: Portion | Comparison, waiting: WaitingRequest): void {
    this.#waiting.set(message.id, waiting);
    this.#child.send(message, (error) => {
      if (!error) return;
      this.#waiting.delete(message.id);
      waiting.reject(new EmbeddingInterruptedError(`the ${this.#program.name} cannot be reached: ${error.message}`));
    });
  }

  /**
   * Kills the process, which has no state to save.
   * @param reason completes the sentence "the process …" in the errors of calls that it has not answered
   */
  async stop(reason: string | null = null): Promise<void> {
    this.#stopReason ??= reason;
    if (!this.#gone) this.#child.kill('SIGKILL');
    await this.ended;
  }

  /** Kills the process, unless the returned function is called within the time. Milliseconds. */
  endAfter(ms: number): () => void {
    const timer = setTimeout(() => void this.stop(`did not answer within ${ms / 1_000} s`), ms).unref();
    return () => clearTimeout(timer);
  }

  #watched(): () => void {
    const { limits } = this.#program;
    const { pid } = this.#child;
    if (limits === null || pid === undefined) return () => {};
    return watchMemory(pid, limits.rssBytes, () => {
      void this.stop(`took more than ${limits.rssBytes / MIB} MiB of memory`);
    });
  }

  #settle(message: FromPassages): void {
    this.#hasAnswered = true;
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
      waiting?.resolve('vectors' in message ? message : null);
    }
  }
}
