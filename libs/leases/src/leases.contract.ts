import { randomBytes } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { Lease, Leases } from './port.ts';

/** One who holds or waits: told of, and ended by the test. */
class Candidate {
  readonly epochs: number[] = [];
  isRunning = false;
  readonly held: Promise<Lease>;
  readonly ended: Promise<void>;
  readonly #end = new AbortController();
  readonly #finish = Promise.withResolvers<void>();

  constructor(leases: Leases, name: string) {
    const { promise, resolve } = Promise.withResolvers<Lease>();
    this.held = promise;
    this.ended = leases.hold(name, {
      signal: this.#end.signal,
      run: async (lease) => {
        this.epochs.push(lease.epoch);
        this.isRunning = true;
        resolve(lease);
        lease.signal.addEventListener('abort', () => this.#finish.resolve());
        try {
          await this.#finish.promise;
        } finally {
          this.isRunning = false;
        }
      },
    });
    this.ended.catch(() => undefined);
  }

  abort(): void {
    this.#end.abort();
  }

  finish(): void {
    this.#finish.resolve();
  }

  fail(error: Error): void {
    this.#finish.reject(error);
  }
}

/** What all Leases do. Each call of `open` is as if in another process, with the same leases. */
export function leasesContract(open: () => Promise<Leases>): void {
  let name: string;
  const candidates: Candidate[] = [];
  const candidate = async () => {
    const made = new Candidate(await open(), name);
    candidates.push(made);
    return made;
  };
  beforeEach(() => {
    name = `a lease.${randomBytes(6).toString('hex')}`;
  });
  afterEach(async () => {
    for (const each of candidates) {
      each.abort();
      each.finish();
    }
    await Promise.allSettled(candidates.splice(0).map(({ ended }) => ended));
  });

  it('is held by one at a time, with growing epochs', async () => {
    const all = [await candidate(), await candidate(), await candidate()];
    const epochs: number[] = [];
    for (let left = [...all]; left.length > 0; ) {
      const { held, of } = await Promise.race(left.map((of) => of.held.then((held) => ({ held, of }))));
      expect(all.filter(({ isRunning }) => isRunning)).toHaveLength(1);
      epochs.push(held.epoch);
      expect(held.signal.aborted).toBe(false);
      of.abort();
      await of.ended;
      expect(held.signal.aborted).toBe(true);
      left = left.filter((other) => other !== of);
    }
    expect(epochs).toEqual([...new Set(epochs)].sort((a, b) => a - b));
    expect(epochs.every((epoch) => Number.isSafeInteger(epoch) && epoch > 0)).toBe(true);
  });

  it('is given to another only when the work has ended', async () => {
    const leases = await open();
    const end = new AbortController();
    const log: string[] = [];
    const begun = Promise.withResolvers<void>();
    const first = leases.hold(name, {
      signal: end.signal,
      run: async ({ signal }) => {
        begun.resolve();
        while (!signal.aborted) await pause(5);
        await pause(50);
        log.push('first ended');
      },
    });
    await begun.promise;
    const second = await candidate();
    void second.held.then(() => log.push('second begun'));
    end.abort();
    await Promise.all([first, second.held]);
    expect(log).toEqual(['first ended', 'second begun']);
  });

  it('is given back when the work is done', async () => {
    const first = await candidate();
    await first.held;
    const second = await candidate();
    first.finish();
    await first.ended;
    await second.held;
    expect(first.epochs).toHaveLength(1);
    expect(second.epochs[0]).toBeGreaterThan(first.epochs[0]!);
  });

  it('is given back when the work fails, and tells of it', async () => {
    const first = await candidate();
    await first.held;
    const second = await candidate();
    first.fail(new Error('broken'));
    await expect(first.ended).rejects.toThrow('broken');
    await second.held;
  });

  it('is not waited for any longer when the signal aborts', async () => {
    const first = await candidate();
    await first.held;
    const second = await candidate();
    second.abort();
    await second.ended;
    expect(second.epochs).toEqual([]);
    const third = await candidate();
    first.abort();
    await third.held;
  });

  it('is not asked for when the signal has aborted before', async () => {
    const leases = await open();
    let hasRun = false;
    const run = async () => {
      hasRun = true;
    };
    await leases.hold(name, { signal: AbortSignal.abort(), run });
    expect(hasRun).toBe(false);
  });

  it('has nothing to do with one of another name', async () => {
    const first = await candidate();
    await first.held;
    name = `${name}.other`;
    const second = await candidate();
    await second.held;
    expect(first.isRunning).toBe(true);
  });
}
