import { setTimeout as delay } from 'node:timers/promises';
import type { PassageProcess } from './passage-process.ts';
import type { ComparisonOptions } from './port.ts';

/** Questions that may wait while another one is compared. Any further one would run out of time while it waited. */
const MOST_WAITING = 4;
/** A process that does not end a comparison within this time hangs, and is killed. Milliseconds. */
const LIMITS = { answerMs: 30_000, /** While its models are loaded. */ startMs: 120_000 };

interface Question extends ComparisonOptions {
  /** As the process asks for it. */
  readonly value: () => Promise<Float32Array | string>;
  /** The most important one first. */
  readonly texts: readonly string[];
}

export interface ComparisonResult {
  /** Of each text. Null: there was no time, or the process failed. */
  readonly scores: readonly (number | null)[];
  /** The comparison failed before the answer. */
  readonly failed: boolean;
}

/** Compares questions with texts in a process, as far as there is time: one question at a time, while a few wait. */
export class Comparisons {
  readonly #limits: typeof LIMITS;
  readonly #waiting = new Set<() => void>();
  #running = false;

  constructor(limits = LIMITS) {
    this.#limits = limits;
  }

  /** @param processOf called when the question has its turn */
  async compare(processOf: () => PassageProcess, question: Question): Promise<ComparisonResult> {
    const expiresAt = Date.now() + question.withinMs;
    const scores = new Array<number | null>(question.texts.length).fill(null);
    const inTime = new AbortController();
    const late = delay(question.withinMs, null, { signal: inTime.signal }).catch(() => null);
    try {
      if (!(await this.#turn(late))) return { scores, failed: false };
      const comparing = this.#run(processOf, question, { scores, expiresAt, late });
      void comparing.then((error) => {
        this.#endTurn();
        question.ended(error);
      });
      const error = await Promise.race([comparing, late]);
      // Copied, because scores may still arrive.
      return { scores: [...scores], failed: error !== null };
    } finally {
      inTime.abort();
    }
  }

  /** Returns the error of the comparison, null if it has none. */
  async #run(
    processOf: () => PassageProcess,
    { value, texts }: Question,
    {
      scores,
      expiresAt,
      late,
    }: { readonly scores: (number | null)[]; readonly expiresAt: number; readonly late: Promise<null> },
  ): Promise<Error | null> {
    let answered = () => {};
    try {
      const question = await Promise.race([value(), late]);
      if (question === null) return null;
      const process = processOf();
      answered = process.endAfter(process.hasAnswered ? this.#limits.answerMs : this.#limits.startMs);
      await process.compare({ question, texts, expiresAt }, (text, score) => {
        scores[text] = score;
      });
      return null;
    } catch (error) {
      return error as Error;
    } finally {
      answered();
    }
  }

  /** Waits for the turn. Returns false if too many wait already, or there is no time left. */
  async #turn(late: Promise<null>): Promise<boolean> {
    if (!this.#running) {
      this.#running = true;
      return true;
    }
    if (this.#waiting.size >= MOST_WAITING) return false;
    return new Promise((resolve) => {
      const begin = () => resolve(true);
      this.#waiting.add(begin);
      void late.then(() => {
        if (this.#waiting.delete(begin)) resolve(false);
      });
    });
  }

  #endTurn(): void {
    const [next] = this.#waiting;
    if (next === undefined) this.#running = false;
    else {
      this.#waiting.delete(next);
      next();
    }
  }
}
