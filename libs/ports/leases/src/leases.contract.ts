import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import type { Lease, Leases } from './port.ts';

/** A process that holds the lease or waits for it, until the test ends it. */
class Candidate {
  readonly tokens: number[] = [];
  isRunning = false;
  readonly held: Promise<Lease>;
  readonly ended: Promise<void>;
  readonly #end = new AbortController();
  readonly #finish = Promise.withResolvers<void>();

  constructor(leases: Leases, name: string, takeOver: boolean) {
    const { promise, resolve } = Promise.withResolvers<Lease>();
    this.held = promise;
    this.ended = leases.hold(name, {
      signal: this.#end.signal,
      takeOver,
      run: async (lease) => {
        this.tokens.push(lease.fencingToken);
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

/** Contract of the leases port. Each call of `open` simulates another process that uses the same leases. */
export function leasesContract(open: () => Promise<Leases>): void {
  let name: string;
  const candidates: Candidate[] = [];
  const candidate = async (takeOver = false) => {
    const made = new Candidate(await open(), name, takeOver);
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

  it('is held by one process at a time, with growing fencing tokens', async () => {
    const all = [await candidate(), await candidate(), await candidate()];
    const tokens: number[] = [];
    for (let left = [...all]; left.length > 0; ) {
      const { held, of } = await Promise.race(left.map((of) => of.held.then((held) => ({ held, of }))));
      expect(all.filter(({ isRunning }) => isRunning)).toHaveLength(1);
      tokens.push(held.fencingToken);
      expect(held.signal.aborted).toBe(false);
      of.abort();
      await of.ended;
      expect(held.signal.aborted).toBe(true);
      left = left.filter((other) => other !== of);
    }
    expect(tokens).toEqual([...new Set(tokens)].sort((a, b) => a - b));
    expect(tokens.every((token) => Number.isSafeInteger(token) && token > 0)).toBe(true);
  });

  it('is passed on only after `run` has ended', async () => {
    const leases = await open();
    const end = new AbortController();
    const log: string[] = [];
    const begun = Promise.withResolvers<void>();
    const first = leases.hold(name, {
      signal: end.signal,
      run: async ({ signal }) => {
        begun.resolve();
        if (!signal.aborted) await once(signal, 'abort');
        // A window in which the next candidate must not begin: nothing tells when it has looked at the lease.
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

  it('is released when `run` resolves', async () => {
    const first = await candidate();
    await first.held;
    const second = await candidate();
    first.finish();
    await first.ended;
    await second.held;
    expect(first.tokens).toHaveLength(1);
    expect(second.tokens[0]).toBeGreaterThan(first.tokens[0]!);
  });

  it('is released when `run` rejects, and hold() rejects too', async () => {
    const first = await candidate();
    await first.held;
    const second = await candidate();
    first.fail(new Error('broken'));
    await expect(first.ended).rejects.toThrow('broken');
    await second.held;
  });

  it('is passed on to the candidate that takes it over, before candidates that wait, and then back to its former holder', async () => {
    const first = await candidate();
    await first.held;
    const waiting = await candidate();
    const taking = await candidate(true);
    await taking.held;
    expect([first.isRunning, waiting.isRunning, taking.isRunning]).toEqual([false, false, true]);
    expect((await first.held).signal.aborted).toBe(true);
    taking.finish();
    await taking.ended;
    await waiting.held;
    waiting.finish();
    await Promise.all([waiting.ended, first.ended]);
    expect(first.tokens).toHaveLength(2);
    expect([first.tokens[0], taking.tokens[0], first.tokens[1]]).toEqual(
      [first.tokens[0], taking.tokens[0], first.tokens[1]].toSorted((a, b) => a! - b!),
    );
  });

  it('is no longer waited for after the signal aborts', async () => {
    const first = await candidate();
    await first.held;
    const second = await candidate();
    second.abort();
    await second.ended;
    expect(second.tokens).toEqual([]);
    const third = await candidate();
    first.abort();
    await third.held;
  });

  it('is not acquired if the signal has aborted before', async () => {
    const leases = await open();
    let hasRun = false;
    const run = async () => {
      hasRun = true;
    };
    await leases.hold(name, { signal: AbortSignal.abort(), run });
    expect(hasRun).toBe(false);
  });

  it('is independent of leases with other names', async () => {
    const first = await candidate();
    await first.held;
    name = `${name}.other`;
    const second = await candidate();
    await second.held;
    expect(first.isRunning).toBe(true);
  });
}
