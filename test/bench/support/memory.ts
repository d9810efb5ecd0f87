import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { platform } from 'node:os';

/** Returns the resident memory of a process in bytes. */
export function residentBytes(pid: number): number {
  if (platform() !== 'linux') return Number(execFileSync('ps', ['-o', 'rss=', '-p', String(pid)])) * 1024;
  const kilobytes = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  return Number(kilobytes) * 1024;
}

/** Samples the memory of a process until `stop`. */
export class MemoryWatch {
  /** Bytes at the beginning. */
  readonly before: number;
  readonly samples: number[] = [];
  readonly #timer: NodeJS.Timeout;

  /** @param everyMs default: 1000 */
  constructor(pid: number, everyMs = 1_000) {
    this.before = residentBytes(pid);
    this.#timer = setInterval(() => this.#look(pid), everyMs);
  }

  /** How much more than at the beginning the process has taken at the most, in bytes. */
  get growth(): number {
    return Math.max(...this.samples) - this.before;
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  #look(pid: number): void {
    try {
      this.samples.push(residentBytes(pid));
    } catch {
      // The process is gone; its owner reports that.
      this.stop();
    }
  }
}
