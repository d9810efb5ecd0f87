import type { Scratch } from '#platform/kernel';
import { Child } from './child.ts';
import type { JobKind } from './kind.ts';

/** How long a grown child is kept: until the next job of the same file. */
const GROWN_IDLE_MS = 1_000;

/** The children of a pool. */
export class Children {
  readonly #scratch: Scratch;
  readonly #size: number;
  readonly #idleMs: number;
  /** All that are not ending. */
  readonly #all = new Set<Child>();
  /** The most recently used last, each with the timer that ends it. */
  readonly #idle = new Map<Child, NodeJS.Timeout>();
  readonly #ending = new Set<Promise<void>>();

  /** @param size children that exist at once; so many jobs run at most */
  constructor(scratch: Scratch, size: number, idleMs: number) {
    this.#scratch = scratch;
    this.#size = size;
    this.#idleMs = idleMs;
  }

  /**
   * Returns an idle child of the kind, a new one, or, if there are enough of them, the least busy one of the kind. Short jobs do
   * not keep a grown child.
   */
  acquire(kind: JobKind, isShort: boolean): Child {
    const idle = [...this.#idle.keys()].findLast((child) => child.kind === kind && !(isShort && child.isGrown));
    if (idle !== undefined) {
      this.#wake(idle);
      return idle;
    }
    const [oldest] = this.#idle.keys();
    if (this.#all.size >= this.#size) {
      const busy = [...this.#all].filter((child) => child.kind === kind && !child.isEnding && !child.isRetired);
      if (oldest !== undefined) this.end(oldest);
      else if (busy.length > 0) return busy.reduce((least, child) => (child.pending < least.pending ? child : least));
    }
    const folder = this.#scratch.newPath();
    const child = new Child(kind, folder);
    this.#all.add(child);
    void child.ended.then(() => {
      this.end(child);
      return this.#scratch.removeFolder(folder).catch(() => undefined);
    });
    return child;
  }

  release(child: Child): void {
    // More than `size` exist while kinds change places.
    const isSpare = child.isRetired || this.#all.size > this.#size;
    if (child.isEnding || (child.pending === 0 && isSpare)) {
      this.end(child);
      return;
    }
    if (child.pending > 0) return;
    const timer = setTimeout(
      () => this.end(child),
      child.isGrown ? Math.min(GROWN_IDLE_MS, this.#idleMs) : this.#idleMs,
    );
    timer.unref();
    this.#idle.set(child, timer);
  }

  /** Ends a child at once. */
  end(child: Child): void {
    this.#wake(child);
    if (!this.#all.delete(child)) return;
    child.kill();
    this.#ending.add(child.ended);
    void child.ended.then(() => this.#ending.delete(child.ended));
  }

  async close(): Promise<void> {
    for (const child of this.#all) this.end(child);
    await Promise.all(this.#ending);
  }

  #wake(child: Child): void {
    clearTimeout(this.#idle.get(child));
    this.#idle.delete(child);
  }
}
