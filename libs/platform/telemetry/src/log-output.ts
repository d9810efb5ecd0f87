import { constants, fstatSync, openSync, write, writeSync } from 'node:fs';

/** Text that may wait for the output. Lines beyond are dropped. Bytes. */
const WAITING_BYTES = 1024 * 1024;
/** Pause after the output took nothing. Milliseconds. */
const RETRY_MS = 100;

const { O_WRONLY, O_NONBLOCK, O_NOCTTY } = constants;

/**
 * Writes lines to a file descriptor and never waits for it. While the output takes nothing (a pipe that is not read, a full
 * disk), up to 1 MiB waits in memory; further lines are dropped and counted.
 */
export class LogOutput {
  readonly #fd: number;
  readonly #lossLine: (lines: number) => string;
  readonly #waiting: string[] = [];
  /** Taken from `waiting`, and not yet written. */
  #current: Uint8Array = new Uint8Array();
  #bytes = 0;
  #dropped = 0;
  #isWriting = false;
  /** The next write begins in a later turn of the event loop. */
  #isScheduled = false;

  /** @param lossLine returns the line that reports dropped lines, written as soon as there is room for it */
  constructor(fd: number, lossLine: (lines: number) => string) {
    this.#fd = withoutWaiting(fd);
    this.#lossLine = lossLine;
  }

  write(line: string): void {
    const bytes = Buffer.byteLength(line);
    if (this.#bytes + bytes > WAITING_BYTES) {
      this.#dropped += 1;
      return;
    }
    this.#bytes += bytes;
    this.#waiting.push(line);
    if (this.#isWriting || this.#isScheduled) return;
    this.#isScheduled = true;
    // Later, so that the lines of one turn are one write.
    setImmediate(() => this.#writeNext());
  }

  /** Writes what waits, as far as the output takes it at once. For the end of the process. */
  flush(): void {
    const parts = [this.#isWriting ? new Uint8Array() : this.#current, Buffer.from(this.#waiting.splice(0).join(''))];
    try {
      for (let left = Buffer.concat(parts); left.length > 0; ) left = left.subarray(writeSync(this.#fd, left));
    } catch {
      // The output takes no more.
    }
  }

  #writeNext(): void {
    this.#isScheduled = false;
    if (this.#current.length === 0) {
      if (this.#waiting.length === 0) this.#reportDropped();
      if (this.#waiting.length === 0) return;
      this.#current = Buffer.from(this.#waiting.splice(0).join(''));
    }
    this.#isWriting = true;
    // In a thread, because a write to a file may wait for its disk.
    write(this.#fd, this.#current, (error, written) => {
      this.#isWriting = false;
      if (error) {
        this.#retryLater();
        return;
      }
      this.#bytes -= written;
      this.#current = this.#current.subarray(written);
      this.#writeNext();
    });
  }

  #retryLater(): void {
    this.#isScheduled = true;
    setTimeout(() => this.#writeNext(), RETRY_MS).unref();
  }

  #reportDropped(): void {
    if (this.#dropped === 0) return;
    const line = this.#lossLine(this.#dropped);
    this.#dropped = 0;
    this.#bytes += Buffer.byteLength(line);
    this.#waiting.push(line);
  }
}

/**
 * Returns a descriptor of the same pipe or terminal to which a write never waits, or the same one for a file. The flag of
 * `fd` itself is shared with every process that has it.
 */
function withoutWaiting(fd: number): number {
  try {
    const found = fstatSync(fd);
    if (!found.isFIFO() && !found.isCharacterDevice()) return fd;
    return openSync(`/dev/fd/${fd}`, O_WRONLY | O_NONBLOCK | O_NOCTTY);
  } catch {
    return fd;
  }
}
