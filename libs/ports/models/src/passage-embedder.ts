import { Comparisons } from './comparisons.ts';
import { PassageProcess } from './passage-process.ts';
import type { EmbeddingInput, PassageSetup } from './passages.child.ts';
import { type ComparisonOptions, type EmbeddedText, EmbeddingInterruptedError } from './port.ts';
import { charactersOf, nameOf, textsIn } from './portioned.ts';

export interface PassageOptions extends PassageSetup {
  readonly dimensions: number;
  /** The process ends after this time without work. Milliseconds. */
  readonly idleMs: number;
  /** The same, once it has compared texts with a question: the first texts after its start come too late. Milliseconds. */
  readonly comparingIdleMs: number;
  /** The process is replaced above this size. Bytes. */
  readonly maxRssBytes: number;
  /** A process that does not answer a portion within this time is killed. Milliseconds. */
  readonly portionTimeoutMs: number;
}

/** Limits of one portion: about a third of a second of work for a thread. */
const PORTION_TEXTS = 32;
const PORTION_CHARACTERS = 16_000;
/** Texts that one call may add to a portion before the next call has its turn. */
const TURN_TEXTS = 8;

interface Call {
  /** All of them texts, or all of them windows. */
  readonly passages: readonly EmbeddingInput[];
  readonly withTokens: boolean;
  /** Of each passage. */
  readonly answers: (readonly EmbeddedText[])[];
  /** Index of the first passage that is not in a portion yet. */
  next: number;
  unanswered: number;
  resolve(answers: Call['answers']): void;
  reject(error: unknown): void;
}

/** Whether the passages of both may share a portion. */
const isAlike = (a: Call, b: Call): boolean =>
  typeof a.passages[0] === typeof b.passages[0] && a.withTokens === b.withTokens;

interface Item {
  readonly call: Call;
  readonly index: number;
  readonly passage: EmbeddingInput;
}

/**
 * Embeds passages in a process of its own. The texts of all pending calls share portions, a few of each call in turn, so that
 * many small documents keep every thread busy and do not wait for a large one.
 *
 * If the process dies, the calls with texts in it reject. Those texts are then embedded alone, so that a text that crashes
 * the library fails no other call a second time.
 */
export class PassageEmbedder {
  readonly #options: PassageOptions;
  /** Calls with texts that are not in a portion yet, in the order of their turns. */
  readonly #calls: Call[] = [];
  /** Names of passages that were in a process when it died. */
  readonly #suspects = new Set<string>();
  readonly #comparisons = new Comparisons();
  #process: PassageProcess | null = null;
  #portionsOut = 0;
  #suspectOut = false;
  #scheduled = false;
  /** Whether this process has compared. */
  #compares = false;
  #closed = false;
  #idleTimer: NodeJS.Timeout | undefined;

  constructor(options: PassageOptions) {
    this.#options = options;
  }

  /** Id of the process, if it runs. */
  get pid(): number | undefined {
    return this.#process?.pid;
  }

  /**
   * Returns the vectors of each passage, in their order: one of a text, one for each text of a window.
   * @param passages all of them texts, or all of them windows
   * @param options.withTokens also the tokens of each text of the windows
   * @throws EmbeddingInterruptedError, and the reason of the signal
   */
  embed(
    passages: readonly EmbeddingInput[],
    { signal, withTokens = false }: { readonly signal?: AbortSignal | undefined; readonly withTokens?: boolean } = {},
  ): Promise<readonly (readonly EmbeddedText[])[]> {
    if (signal?.aborted) return Promise.reject(signal.reason);
    if (this.#closed) return Promise.reject(new EmbeddingInterruptedError('The embedder is closed'));
    if (passages.length === 0) return Promise.resolve([]);
    return new Promise((resolve, reject) => {
      const call: Call = {
        ...{ passages, withTokens },
        answers: new Array(passages.length),
        next: 0,
        unanswered: passages.length,
        resolve: (answers) => {
          signal?.removeEventListener('abort', abort);
          resolve(answers);
        },
        reject: (error) => {
          signal?.removeEventListener('abort', abort);
          this.#drop(call);
          reject(error);
        },
      };
      const abort = () => call.reject(signal?.reason);
      signal?.addEventListener('abort', abort);
      this.#calls.push(call);
      this.#schedule();
    });
  }

  /** Compares before most of what waits here, and starts the process if need be (`Comparisons`). */
  async compare(question: () => Promise<Float32Array>, texts: readonly string[], options: ComparisonOptions) {
    if (this.#closed) throw new EmbeddingInterruptedError('The embedder is closed');
    const process = () => {
      const own = this.#ensureProcess();
      this.#compares = true;
      return own;
    };
    const { scores } = await this.#comparisons.compare(process, { ...options, value: question, texts });
    if (this.#portionsOut === 0) this.#endWhenIdle();
    return scores;
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#idleTimer);
    for (const call of [...this.#calls]) call.reject(new EmbeddingInterruptedError('The embedder is closed'));
    await this.#process?.stop();
  }

  /** Sends after the current turn of the event loop, so that concurrent calls share portions. */
  #schedule(): void {
    if (this.#scheduled) return;
    this.#scheduled = true;
    setImmediate(() => {
      this.#scheduled = false;
      this.#sendPortions();
    });
  }

  #sendPortions(): void {
    // One portion more than threads, so that no thread waits for this event loop.
    while (!this.#closed && this.#calls.length > 0 && this.#portionsOut <= this.#options.threads) {
      if (this.#mustReplaceProcess() && this.#portionsOut > 0) return;
      const portion = this.#suspectOut ? [] : this.#nextPortion();
      if (portion.length === 0) return;
      void this.#embed(portion);
    }
  }

  /** Returns an empty portion if the next text is a suspect and has to wait until the process is idle. */
  #nextPortion(): Item[] {
    const portion: Item[] = [];
    const size = Math.min(PORTION_TEXTS, Math.ceil(this.#waitingTexts() / this.#options.threads));
    let characters = 0;
    while (portion.length < size && characters < PORTION_CHARACTERS) {
      const call = this.#calls.shift();
      if (!call) break;
      if (portion[0] && !isAlike(portion[0].call, call)) {
        this.#calls.unshift(call);
        return portion;
      }
      for (let taken = 0; taken < TURN_TEXTS && call.next < call.passages.length && portion.length < size; taken++) {
        const passage = call.passages[call.next] as EmbeddingInput;
        if (this.#suspects.has(nameOf(passage))) {
          const alone = portion.length === 0 && this.#portionsOut === 0;
          if (alone) portion.push({ call, index: call.next++, passage });
          if (call.next < call.passages.length) this.#calls.unshift(call);
          this.#suspectOut = alone;
          return portion;
        }
        portion.push({ call, index: call.next++, passage });
        characters += charactersOf(passage);
        if (characters >= PORTION_CHARACTERS) break;
      }
      if (call.next < call.passages.length) this.#calls.push(call);
    }
    return portion;
  }

  /** Counts waiting texts, up to the number that determines the size of a portion. */
  #waitingTexts(): number {
    let texts = 0;
    for (const call of this.#calls) {
      texts += call.passages.length - call.next;
      if (texts >= PORTION_TEXTS * this.#options.threads) break;
    }
    return texts;
  }

  async #embed(portion: readonly Item[]): Promise<void> {
    const process = this.#ensureProcess();
    this.#portionsOut++;
    const answered = process.endAfter(this.#options.portionTimeoutMs);
    try {
      const passages = portion.map((item) => item.passage);
      const embedded = await process.embed({ passages, withTokens: portion[0]?.call.withTokens ?? false });
      const answers = textsIn(embedded, passages, this.#options.dimensions);
      for (const [i, { call, index, passage }] of portion.entries()) {
        call.answers[index] = answers[i] as readonly EmbeddedText[];
        if (--call.unanswered === 0) call.resolve(call.answers);
        this.#suspects.delete(nameOf(passage));
      }
    } catch (error) {
      if (process.gone && !this.#closed) for (const { passage } of portion) this.#suspects.add(nameOf(passage));
      for (const { call } of portion) call.reject(error);
    } finally {
      answered();
      this.#portionsOut--;
      this.#suspectOut = false;
      if (this.#portionsOut === 0) this.#endWhenIdle();
      this.#schedule();
    }
  }

  #drop(call: Call): void {
    const index = this.#calls.indexOf(call);
    if (index >= 0) this.#calls.splice(index, 1);
  }

  #mustReplaceProcess(): boolean {
    return this.#process !== null && !this.#process.gone && this.#process.rssBytes > this.#options.maxRssBytes;
  }

  #ensureProcess(): PassageProcess {
    clearTimeout(this.#idleTimer);
    if (this.#mustReplaceProcess() && this.#portionsOut === 0) void this.#process?.stop('is replaced: it has grown');
    else if (this.#process && !this.#process.gone) return this.#process;
    this.#process = new PassageProcess(this.#options);
    this.#compares = false;
    return this.#process;
  }

  #endWhenIdle(): void {
    clearTimeout(this.#idleTimer);
    const idleMs = this.#compares ? this.#options.comparingIdleMs : this.#options.idleMs;
    this.#idleTimer = setTimeout(() => {
      void this.#process?.stop();
      this.#process = null;
    }, idleMs).unref();
  }
}
