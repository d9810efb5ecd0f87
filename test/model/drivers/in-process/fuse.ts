import { MnemeError } from '#platform/kernel';
import type { CrashPlan } from '../target.ts';

/** The process of the call has ended. */
class Crashed extends MnemeError {
  override readonly name = 'Crashed';
  override readonly kind = 'transient';
  override readonly code = 'crashed';
}

/**
 * Ends a life right before or after one of its durable writes. From then on, nothing that this life does reaches what is
 * durable, and no answer reaches it.
 */
export class Fuse {
  readonly blown: Promise<void>;
  readonly #blow: () => void;
  readonly #running = new Set<Promise<unknown>>();
  #plan: Pick<CrashPlan, 'steps' | 'side'> | null = null;
  #isBlown = false;
  /** Durable writes of this life. */
  #steps = 0;

  constructor() {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.blown = promise;
    this.#blow = () => {
      this.#isBlown = true;
      resolve();
    };
  }

  get isBlown(): boolean {
    return this.#isBlown;
  }

  /** @param steps durable writes that are still carried out */
  arm({ steps, side }: Pick<CrashPlan, 'steps' | 'side'>): void {
    this.#plan = { steps: this.#steps + steps, side };
  }

  /** Resolves when the writes that had begun before the end have ended. */
  async settled(): Promise<void> {
    await Promise.allSettled(this.#running);
  }

  /** Carries out a call of something durable. */
  async call<T>(isWrite: boolean, work: () => Promise<T> | T): Promise<T> {
    this.check();
    const isLast = isWrite && this.#plan !== null && this.#steps >= this.#plan.steps;
    if (isWrite) this.#steps += 1;
    if (isLast && this.#plan?.side === 'before') this.#blow();
    this.check();
    const running = Promise.resolve().then(work);
    this.#running.add(running);
    try {
      const result = await running;
      if (isLast) this.#blow();
      this.check();
      return result;
    } finally {
      this.#running.delete(running);
    }
  }

  check(): void {
    if (this.#isBlown) throw new Crashed('the process has ended');
  }
}

/** What a life sees of something durable. @param writes names of the methods that write */
export function behindFuse<T extends object>(target: T, fuse: Fuse, writes: readonly (keyof T & string)[]): T {
  const isWrite = (name: string) => (writes as readonly string[]).includes(name);
  return new Proxy(target, {
    get(one, name) {
      const value: unknown = Reflect.get(one, name, one);
      if (typeof value !== 'function') return value;
      const method = (value as (...args: unknown[]) => unknown).bind(one);
      if (SYNCHRONOUS.has(String(name))) return method;
      if (ITERATED.has(String(name))) return (...args: unknown[]) => iterated(method(...args), fuse);
      return (...args: unknown[]) => fuse.call(isWrite(String(name)), () => method(...args) as Promise<unknown>);
    },
  });
}

const SYNCHRONOUS = new Set(['compare', 'parsePosition', 'building', 'close']);
const ITERATED = new Set(['subscribe', 'listFolders', 'listFoldersWith', 'ownersAmong']);

async function* iterated(items: unknown, fuse: Fuse): AsyncGenerator<unknown> {
  for await (const item of items as AsyncIterable<unknown>) {
    fuse.check();
    yield item;
  }
}
