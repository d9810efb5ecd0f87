import { TurnQueue } from './turn-queue.ts';

interface WaitingJob {
  readonly order: number;
  readonly ahead: number;
  readonly begin: () => void;
}

export interface SlotRequest {
  readonly isShort: boolean;
  /** Short jobs of this kind that a busy child may get in advance. */
  readonly ahead: number;
  /** Whose turn the job counts as. */
  readonly turn: string;
}

/** A slot that a job has until it is freed. */
export interface Slot {
  free(): void;
  /** Counts a short job as a long one from now on. @returns false, with nothing changed, if no further long one may run */
  lengthen(): boolean;
}

/**
 * How many jobs are handed to children. All slots but one are open to every job, the last one only to short jobs. While no
 * job is long, children also get short jobs in advance, if their kind permits it. Short jobs, and long ones, are begun by turn.
 */
export class Slots {
  readonly #size: number;
  readonly #short = new TurnQueue<WaitingJob>();
  readonly #long = new TurnQueue<WaitingJob>();
  #lastOrder = 0;
  #running = 0;
  #runningLong = 0;

  constructor(size: number) {
    if (size < 2) throw new RangeError('A pool needs at least 2 slots: one of them is reserved for short jobs');
    this.#size = size;
  }

  /**
   * Waits for a slot.
   * @throws the reason of the signal
   */
  acquire({ isShort, ahead, turn }: SlotRequest, signal: AbortSignal): Promise<Slot> {
    return new Promise((resolve, reject) => {
      const queue = isShort ? this.#short : this.#long;
      const abandon = () => {
        queue.delete(turn, waiting);
        reject(signal.reason);
        this.#next();
      };
      const begin = () => {
        queue.take(turn, waiting);
        signal.removeEventListener('abort', abandon);
        resolve(this.#take(isShort));
      };
      this.#lastOrder += 1;
      const waiting: WaitingJob = { order: this.#lastOrder, ahead, begin };
      if (signal.aborted) {
        reject(signal.reason);
        return;
      }
      signal.addEventListener('abort', abandon, { once: true });
      queue.add(turn, waiting);
      this.#next();
    });
  }

  #take(isShort: boolean): Slot {
    let isLong = !isShort;
    this.#running += 1;
    if (isLong) this.#runningLong += 1;
    return {
      free: () => {
        this.#running -= 1;
        if (isLong) this.#runningLong -= 1;
        this.#next();
      },
      lengthen: () => {
        if (this.#runningLong >= this.#size - 1) return false;
        isLong = true;
        this.#runningLong += 1;
        return true;
      },
    };
  }

  #next(): void {
    for (let next = this.#candidate(); next !== null; next = this.#candidate()) next.begin();
  }

  /** The job that may begin; of a short and a long one, the one that was called first. */
  #candidate(): WaitingJob | null {
    const short = this.#short.first;
    const long = this.#long.first;
    const hasLong = long !== null || this.#runningLong > 0;
    const isFree = this.#running < this.#size;
    const isForLong = long !== null && isFree && this.#runningLong < this.#size - 1;
    const isForShort = short !== null && (isFree || (!hasLong && this.#running < this.#size * (1 + short.ahead)));
    if (isForLong && isForShort) return long.order < short.order ? long : short;
    return isForLong ? long : isForShort ? short : null;
  }
}
