import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { type NatsRecord, openRecordStream } from '#platform/nats';
import { eventually, until } from '../../../../../platform/kernel/src/testing/eventually.ts';
import { natsSuite } from '../../../../../platform/nats/src/testing/nats-suite.ts';
import { leasesContract } from '../../leases.contract.ts';
import { NatsLeases } from './nats-leases.ts';

const QUICK = { term: 900, margin: 200, renewEvery: 200, pollEvery: 30 };
/** Less than the six seconds for which a candidate leaves an unchanged lease alone. */
const BEFORE_TERM_MS = 5_500;

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
        if (!signal.aborted) await once(signal, 'abort');
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

    async has(start: string): Promise<void> {
      await until(
        () => this.lines,
        () => this.printed(start).length > 0,
      );
    }

    signal(signal: NodeJS.Signals): void {
      this.child.kill(signal);
    }
  }

  /** The record of the lease, also right after an outage. Each renewal writes it again. */
  const record = (): Promise<NatsRecord> => {
    const subject = `${nats.bucket}.${Buffer.from('projection').toString('base64url')}`;
    const open = () => openRecordStream({ connection: nats.connection, name: nats.bucket, history: 1, timeout: 1_000 });
    return eventually(() =>
      open()
        .then((records) => records.last(subject))
        .catch(() => null),
    );
  };

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

  it('take over from a killed holder', async () => {
    const [holder, other] = await holderAndOther();
    holder.signal('SIGKILL');
    await other.has('held');
    expect(other.token()).toBeGreaterThan(holder.token());
  });

  it('take over from a holder that releases the lease before its term ends', async () => {
    const [holder, other] = await holderAndOther();
    const before = performance.now();
    holder.signal('SIGTERM');
    await other.has('held');
    expect(performance.now() - before).toBeLessThan(BEFORE_TERM_MS);
    expect(holder.printed('lost')).toHaveLength(1);
  });

  it('take over from a paused holder, which loses the lease when it resumes', async () => {
    const [holder, other] = await holderAndOther();
    holder.signal('SIGSTOP');
    await other.has('held');
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
    await until(
      () => [...holder.printed('held'), ...other.printed('held')],
      ({ length }) => length === 2,
    );
    const printed = [...holder.lines, ...other.lines].filter(({ text }) => text !== 'ready');
    const order = printed.sort((a, b) => a.at - b.at).map(({ text }) => text.split(' ')[0]);
    expect(order).toEqual(['held', 'lost', 'held']);
  });

  it('keep the lease over a short outage of NATS', async () => {
    const [holder, other] = await holderAndOther();
    await nats.server.kill();
    await nats.server.restart();
    const { seq } = await record();
    const renewed = await until(record, (last) => last.seq > seq);
    expect(JSON.parse(Buffer.from(renewed.data).toString())).toMatchObject({ epoch: holder.token() });
    expect([...holder.printed('lost'), ...other.printed('held')]).toEqual([]);
  });
});
