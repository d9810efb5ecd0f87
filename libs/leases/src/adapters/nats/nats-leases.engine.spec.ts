import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { natsSuite } from '../../../../nats/src/testing/nats-suite.ts';
import { leasesContract } from '../../leases.contract.ts';
import { NatsLeases } from './nats-leases.ts';

const QUICK = { term: 900, margin: 200, renewEvery: 200, pollEvery: 30 };
const TAKEN_OVER_WITHIN_MS = 10_000;

const nats = natsSuite();

describe('NatsLeases', () => {
  leasesContract(() => NatsLeases.open(nats.options, QUICK));

  it('continues after the stream was deleted', async () => {
    const leases = await NatsLeases.open(nats.options, QUICK);
    const end = new AbortController();
    const tokens: number[] = [];
    const holding = leases.hold('x', {
      signal: end.signal,
      run: async ({ fencingToken, signal }) => {
        tokens.push(fencingToken);
        if (tokens.length === 2) end.abort();
        else await nats.removeBucket();
        while (!signal.aborted) await pause(5);
      },
    });
    await holding;
    expect(tokens[1]).toBeGreaterThan(tokens[0]!);
  });
});

describe('processes', () => {
  /** A process that holds the lease or waits for it, with the lines that it printed. */
  class Candidate {
    readonly lines: { readonly text: string; readonly at: number }[] = [];
    readonly child: ChildProcess;

    constructor() {
      const file = fileURLToPath(new URL('./holder.fixture.ts', import.meta.url));
      const flags = ['--conditions=mneme-source', '--disable-warning=ExperimentalWarning'];
      const args = [...flags, file, nats.server.url, nats.bucket, 'projection'];
      const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
      this.child = child;
      createInterface({ input: child.stdout }).on('line', (text) => this.lines.push({ text, at: performance.now() }));
    }

    /** Returns the lines that begin with `start`. */
    printed(start: string): readonly { readonly text: string; readonly at: number }[] {
      return this.lines.filter(({ text }) => text.startsWith(start));
    }

    token(): number {
      return Number(this.printed('held').at(-1)?.text.split(' ')[1]);
    }

    async has(start: string, times = 1): Promise<void> {
      while (this.printed(start).length < times) await pause(10);
    }

    signal(signal: NodeJS.Signals): void {
      this.child.kill(signal);
    }
  }

  const candidates: Candidate[] = [];
  const candidate = async () => {
    const made = new Candidate();
    candidates.push(made);
    await made.has('ready');
    return made;
  };
  const holderAndOther = async () => {
    const holder = await candidate();
    await holder.has('held');
    return [holder, await candidate()] as const;
  };
  afterEach(async () => {
    for (const { child } of candidates.splice(0)) {
      if (child.exitCode !== null || child.signalCode !== null) continue;
      child.kill('SIGKILL');
      await once(child, 'exit');
    }
  });

  it('take over from a killed holder within ten seconds', async () => {
    const [holder, other] = await holderAndOther();
    const before = performance.now();
    holder.signal('SIGKILL');
    await other.has('held');
    expect(performance.now() - before).toBeLessThan(TAKEN_OVER_WITHIN_MS);
    expect(other.token()).toBeGreaterThan(holder.token());
  });

  it('take over at once from a holder that releases the lease', async () => {
    const [holder, other] = await holderAndOther();
    const before = performance.now();
    holder.signal('SIGTERM');
    await other.has('held');
    expect(performance.now() - before).toBeLessThan(2_000);
    expect(holder.printed('lost')).toHaveLength(1);
  });

  it('take over from a paused holder, which loses the lease when it resumes', async () => {
    const [holder, other] = await holderAndOther();
    const before = performance.now();
    holder.signal('SIGSTOP');
    await other.has('held');
    expect(performance.now() - before).toBeLessThan(TAKEN_OVER_WITHIN_MS);
    holder.signal('SIGCONT');
    await holder.has('lost');
    expect(holder.token()).toBeLessThan(other.token());
    expect(other.printed('lost')).toHaveLength(0);
  });

  it('never hold the lease together during an outage of NATS, and one holds it afterwards', async () => {
    const [holder, other] = await holderAndOther();
    await nats.server.kill();
    await holder.has('lost');
    expect(other.printed('held')).toHaveLength(0);
    await nats.server.restart();
    while (holder.printed('held').length + other.printed('held').length < 2) await pause(10);
    const printed = [...holder.lines, ...other.lines].filter(({ text }) => text !== 'ready');
    const order = printed.sort((a, b) => a.at - b.at).map(({ text }) => text.split(' ')[0]);
    expect(order).toEqual(['held', 'lost', 'held']);
  });

  it('keep the lease over a short outage of NATS', async () => {
    const [holder, other] = await holderAndOther();
    await nats.server.kill();
    await nats.server.restart();
    // Longer than the term, so another process could have taken the lease.
    await pause(7_000);
    expect([...holder.printed('lost'), ...other.printed('held')]).toEqual([]);
  });
});
