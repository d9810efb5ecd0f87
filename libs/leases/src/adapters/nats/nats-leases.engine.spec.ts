import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { natsSuite } from '../../../../nats/src/testing/nats-suite.ts';
import { leasesContract } from '../../leases.contract.ts';
import { NatsLeases } from './nats-leases.ts';

const QUICK = { term: 900, margin: 200, renewEvery: 200, lookEvery: 30 };
const TAKEN_OVER_WITHIN_MS = 10_000;

const nats = natsSuite();

describe('NatsLeases', () => {
  leasesContract(() => NatsLeases.open(nats.place, QUICK));

  it('goes on when the stream was deleted', async () => {
    const leases = await NatsLeases.open(nats.place, QUICK);
    const end = new AbortController();
    const epochs: number[] = [];
    const holding = leases.hold('x', {
      signal: end.signal,
      run: async ({ epoch, signal }) => {
        epochs.push(epoch);
        if (epochs.length === 2) end.abort();
        else await nats.removeBucket();
        while (!signal.aborted) await pause(5);
      },
    });
    await holding;
    expect(epochs[1]).toBeGreaterThan(epochs[0]!);
  });
});

describe('processes', () => {
  /** A process that holds or waits, with what it said and when. */
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

    /** The lines that begin like this. */
    said(start: string): readonly { readonly text: string; readonly at: number }[] {
      return this.lines.filter(({ text }) => text.startsWith(start));
    }

    epoch(): number {
      return Number(this.said('held').at(-1)?.text.split(' ')[1]);
    }

    async has(start: string, times = 1): Promise<void> {
      while (this.said(start).length < times) await pause(10);
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

  it('follow one that was killed within ten seconds', async () => {
    const [holder, other] = await holderAndOther();
    const before = performance.now();
    holder.signal('SIGKILL');
    await other.has('held');
    expect(performance.now() - before).toBeLessThan(TAKEN_OVER_WITHIN_MS);
    expect(other.epoch()).toBeGreaterThan(holder.epoch());
  });

  it('follow one that ends in order at once', async () => {
    const [holder, other] = await holderAndOther();
    const before = performance.now();
    holder.signal('SIGTERM');
    await other.has('held');
    expect(performance.now() - before).toBeLessThan(2_000);
    expect(holder.said('lost')).toHaveLength(1);
  });

  it('follow one that is paused, which finds out when it goes on', async () => {
    const [holder, other] = await holderAndOther();
    const before = performance.now();
    holder.signal('SIGSTOP');
    await other.has('held');
    expect(performance.now() - before).toBeLessThan(TAKEN_OVER_WITHIN_MS);
    holder.signal('SIGCONT');
    await holder.has('lost');
    expect(holder.epoch()).toBeLessThan(other.epoch());
    expect(other.said('lost')).toHaveLength(0);
  });

  it('never hold it together while NATS is away, and one holds it again afterwards', async () => {
    const [holder, other] = await holderAndOther();
    await nats.server.kill();
    await holder.has('lost');
    expect(other.said('held')).toHaveLength(0);
    await nats.server.restart();
    while (holder.said('held').length + other.said('held').length < 2) await pause(10);
    const said = [...holder.lines, ...other.lines].filter(({ text }) => text !== 'ready');
    const order = said.sort((a, b) => a.at - b.at).map(({ text }) => text.split(' ')[0]);
    expect(order).toEqual(['held', 'lost', 'held']);
  });

  it('keep it over a short outage of NATS', async () => {
    const [holder, other] = await holderAndOther();
    await nats.server.kill();
    await nats.server.restart();
    // Longer than the term: whoever wants to take it has had the time.
    await pause(7_000);
    expect([...holder.said('lost'), ...other.said('held')]).toEqual([]);
  });
});
