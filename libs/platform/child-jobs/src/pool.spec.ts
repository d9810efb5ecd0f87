import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { until } from '../../kernel/src/testing/eventually.ts';
import { type Job, type JobKind, type JobLimits, Pool, type PoolOptions } from './index.ts';
import type { FixtureParams } from './testing/fixture.child.ts';

const MIB = 1024 * 1024;
const LIMITS: JobLimits = { rssBytes: 1024 * MIB, heapMb: 256, ms: 30_000, outputBytes: 10 * MIB };

describe('Pool', () => {
  let folder: string;
  let input: string;
  let pool: Pool;
  const kind = (limits: Partial<JobLimits> = {}, name = 'fixture'): JobKind => ({
    name,
    entry: new URL('./testing/fixture.child.ts', import.meta.url),
    limits: { ...LIMITS, ...limits },
    shortBytes: 1000,
    ahead: 0,
  });
  const fixture = kind();
  const open = (options: Partial<PoolOptions> = {}) => {
    pool = new Pool({ folder: join(folder, 'scratch'), size: 2, ...options });
  };
  const job = (params: FixtureParams, more: Partial<Job> = {}): Job => ({
    kind: fixture,
    params,
    input: { path: input },
    bytes: 1,
    turn: 'a',
    ...more,
  });
  const run = (params: FixtureParams, more: Partial<Job> = {}) =>
    pool.run(job(params, more), async ({ answer }) => answer);
  const isAlive = (pid: number) => {
    try {
      return process.kill(pid, 0);
    } catch {
      return false;
    }
  };
  /** Files that jobs have now. */
  const files = async () =>
    (await readdir(join(folder, 'scratch'), { recursive: true, withFileTypes: true }).catch(() => [])).filter((entry) =>
      entry.isFile(),
    );
  /** What a running fixture has written, as a process id. */
  const writtenPid = async () => {
    await until(async () => {
      const [written] = await files();
      return written !== undefined && (await stat(join(written.parentPath, written.name))).size > 0;
    });
    const [written] = await files();
    return Number(await readFile(join(written!.parentPath, written!.name)));
  };

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'mneme-pool-'));
    input = join(folder, 'input');
    await writeFile(input, 'the input');
    open();
  });
  afterEach(async () => {
    await pool.close();
    await rm(folder, { recursive: true });
  });

  it('reads the input file, hands over the output file, and removes it afterwards', async () => {
    const path = await pool.run(job({ do: 'echo' }), async ({ output }) => {
      expect(await readFile(output, 'utf8')).toBe('the input');
      return output;
    });
    await expect(stat(path)).rejects.toThrow('ENOENT');
    expect(await readFile(input, 'utf8')).toBe('the input');
    expect(await files()).toEqual([]);
  });

  it('copies a stream to a file for the job', async () => {
    async function* copy() {
      yield Buffer.from('one ');
      yield Buffer.from('two');
    }
    const text = await pool.run(job({ do: 'echo' }, { input: { copy } }), ({ output }) => readFile(output, 'utf8'));
    expect(text).toBe('one two');
    expect(await files()).toEqual([]);
  });

  it('rejects with the error of a stream that breaks, and leaves no file', async () => {
    async function* copy() {
      yield Buffer.from('one ');
      throw new Error('the stream broke');
    }
    await expect(run({ do: 'echo' }, { input: { copy } })).rejects.toThrow('the stream broke');
    expect(await files()).toEqual([]);
  });

  it('says that the input does not exist', async () => {
    const missing = { path: join(folder, 'missing') };
    await expect(run({ do: 'echo' }, { input: missing })).rejects.toMatchObject({ code: 'job_input_missing' });
  });

  it('keeps name and message of what the handler throws, and the child', async () => {
    const pid = await run({ do: 'pid' });
    await expect(run({ do: 'fail' })).rejects.toMatchObject({
      name: 'TypeError',
      message: 'it failed',
    });
    expect(await run({ do: 'pid' })).toBe(pid);
  });

  it('gives a child no settings of this process', async () => {
    process.env.MNEME_SECRET = 'secret';
    try {
      expect(await run({ do: 'environment' })).not.toContain('MNEME_SECRET');
    } finally {
      delete process.env.MNEME_SECRET;
    }
  });

  describe('limits', () => {
    it('ends a job whose child takes more memory than the limit', async () => {
      const small = kind({ rssBytes: 300 * MIB });
      await expect(run({ do: 'hold', bytes: 400 * MIB }, { kind: small })).rejects.toMatchObject({
        name: 'JobMemoryError',
      });
      expect(await files()).toEqual([]);
    });

    it('counts the memory of descendants, and ends them with the job', async () => {
      const small = kind({ rssBytes: 500 * MIB });
      const running = run({ do: 'hold-in-descendant', bytes: 500 * MIB }, { kind: small });
      const ended = expect(running).rejects.toMatchObject({ name: 'JobMemoryError' });
      const descendant = await writtenPid();
      expect(isAlive(descendant)).toBe(true);
      await ended;
      await until(() => !isAlive(descendant));
    });

    it('takes the end of a child at its heap limit for too much memory', async () => {
      const small = kind({ heapMb: 64 });
      await expect(run({ do: 'fill-heap' }, { kind: small })).rejects.toMatchObject({ name: 'JobMemoryError' });
    });

    it('ends a job that computes for longer than its limit', async () => {
      const quick = kind({ ms: 300 });
      await expect(run({ do: 'compute' }, { kind: quick })).rejects.toMatchObject({ name: 'JobTimeoutError' });
    });

    it('reports what is done before the end of the job, and what was done before the end of its child', async () => {
      const reports: unknown[] = [];
      const onReport = (value: unknown) => void reports.push(value);
      expect(await run({ do: 'report', numbers: [1, 2, 3], thenMs: 0 }, { onReport })).toBe('done');
      expect(reports.slice(1)).toEqual([1, 2, 3]);
      reports.length = 0;
      const ended = run({ do: 'report', numbers: [4], thenMs: 60_000 }, { onReport });
      const failed = expect(ended).rejects.toMatchObject({ name: 'ChildEndedError' });
      await until(() => reports.length === 2);
      process.kill(reports[0] as number, 'SIGKILL');
      await failed;
      expect(reports[1]).toBe(4);
    });

    it('counts the time from the start of the work, not from the call', async () => {
      const quick = kind({ ms: 1_000 });
      const many = Array.from({ length: 6 }, () => run({ do: 'sleep', ms: 500 }, { kind: quick }));
      await expect(Promise.all(many)).resolves.toHaveLength(6);
    });

    it('refuses an output file above its limit, also while it grows', async () => {
      const small = kind({ outputBytes: 1000 });
      const write = (thenMs: number) => run({ do: 'write', bytes: 1001, thenMs }, { kind: small });
      await expect(write(0)).rejects.toMatchObject({ name: 'JobOutputError' });
      await expect(write(60_000)).rejects.toMatchObject({ name: 'JobOutputError' });
      expect(await files()).toEqual([]);
    });
  });

  describe('the end of a child', () => {
    it('fails the job that it was doing, and the ones that wait are done by another child', async () => {
      const doomed = run({ do: 'compute' });
      const failed = expect(doomed).rejects.toMatchObject({
        name: 'ChildEndedError',
        message: expect.stringContaining('SIGKILL'),
      });
      const pid = await writtenPid();
      const beside = run({ do: 'sleep', ms: 500 });
      const waiting = [run({ do: 'pid' }), run({ do: 'pid' }), run({ do: 'pid' })];
      process.kill(pid, 'SIGKILL');
      await failed;
      await expect(beside).resolves.toBeGreaterThan(0);
      for (const other of await Promise.all(waiting)) expect(other).not.toBe(pid);
    });

    it('is told from a limit when the child exits by itself', async () => {
      await expect(run({ do: 'exit' })).rejects.toMatchObject({ name: 'ChildEndedError' });
    });

    it('is not noticed by the next job when the child was idle', async () => {
      const pid = (await run({ do: 'pid' })) as number;
      process.kill(pid, 'SIGKILL');
      expect(await run({ do: 'pid' })).not.toBe(pid);
    });

    it('that cannot start is an error of its own', async () => {
      const broken = { ...fixture, entry: new URL('./testing/missing.child.ts', import.meta.url) };
      await expect(run({ do: 'pid' }, { kind: broken })).rejects.toMatchObject({ name: 'ChildStartError' });
    });
  });

  describe('slots', () => {
    const long = { bytes: 1001 };

    it('leaves one for short jobs while long ones wait', async () => {
      const stop = new AbortController();
      const blocking = run({ do: 'sleep', ms: 60_000 }, { ...long, signal: stop.signal }).catch(() => 'ended');
      const order: string[] = [];
      const waiting = run({ do: 'pid' }, long).then(() => order.push('long'));
      await run({ do: 'pid' });
      await run({ do: 'pid' });
      order.push('short');
      stop.abort();
      await waiting;
      expect(order).toEqual(['short', 'long']);
      expect(await blocking).toBe('ended');
    });

    it('does two short jobs at once', async () => {
      const pids = await Promise.all([run({ do: 'sleep', ms: 300 }), run({ do: 'sleep', ms: 300 })]);
      expect(new Set(pids).size).toBe(2);
    });

    it('starts the jobs that may run in the order of their calls', async () => {
      const started: number[] = [];
      const start = (bytes: number) =>
        run({ do: 'report', numbers: [], thenMs: 0 }, { bytes, onReport: () => started.push(bytes) });
      const stop = new AbortController();
      const blocking = run({ do: 'sleep', ms: 60_000 }, { ...long, signal: stop.signal }).catch(() => 'ended');
      // One slot is left, so that the jobs in it follow each other.
      const waiting = [start(1001), start(1002)];
      await Promise.all([start(1), start(2), start(3)]);
      expect(started).toEqual([1, 2, 3]);
      stop.abort();
      await Promise.all([...waiting, blocking]);
      expect(started).toEqual([1, 2, 3, 1001, 1002]);
    });

    it('must be two at least', () => {
      expect(() => open({ size: 1 })).toThrow(RangeError);
      open();
    });

    it('are taken over by a child of another kind', async () => {
      const first = (await Promise.all([run({ do: 'sleep', ms: 200 }), run({ do: 'sleep', ms: 200 })])) as number[];
      const other = kind({}, 'other');
      expect(first).not.toContain(await run({ do: 'pid' }, { kind: other }));
      await until(() => first.some((pid) => !isAlive(pid)));
    });
  });

  describe('turns', () => {
    const long = { bytes: 1001 };

    it.each(['long', 'short'] as const)('of %s jobs go round', async (which) => {
      const [stop, end] = [new AbortController(), new AbortController()];
      const block = (more: Partial<Job>, { signal }: AbortController) =>
        run({ do: 'sleep', ms: 60_000 }, { ...more, signal }).catch(() => undefined);
      // Each of the two slots has a job. One slot becomes free: the one that the jobs wait for.
      const blocking = which === 'long' ? [block(long, stop), block({}, end)] : [block(long, end), block({}, stop)];
      // A job resolves when its files are removed, which can be after the answer of the next one.
      const note = async (turn: string, n: number) =>
        [await run({ do: 'count' }, { ...(which === 'long' && long), turn }), turn + n] as const;
      const notes = [note('a', 1), note('a', 2), note('a', 3), note('b', 1), note('b', 2), note('c', 1)];
      stop.abort();
      const done = await Promise.all(notes);
      end.abort();
      await Promise.all(blocking);
      const order = done.toSorted(([one], [other]) => Number(one) - Number(other)).map(([, name]) => name);
      expect(order).toEqual(['a1', 'b1', 'c1', 'a2', 'b2', 'a3']);
    });
  });

  describe('short jobs that take long', () => {
    beforeEach(() => open({ shortMs: 200 }));
    /** Starts jobs that do not end by themselves. `ends`: what came of those that ended. */
    const endless = (count: number, more: Partial<Job> = {}) => {
      const stop = new AbortController();
      const pids: number[] = [];
      const ends: string[] = [];
      const onReport = (pid: unknown) => void pids.push(pid as number);
      const params: FixtureParams = { do: 'report', numbers: [], thenMs: 60_000 };
      const jobs = Array.from({ length: count }, () =>
        run(params, { onReport, signal: stop.signal, ...more }).catch((error: Error) => ends.push(error.name)),
      );
      const end = () => {
        stop.abort(new Error('not wanted'));
        return Promise.all(jobs);
      };
      return { pids, ends, end };
    };

    it('go on as long ones, or end, so that other short jobs need not wait for them', async () => {
      const slow = endless(2);
      expect(await run({ do: 'sleep', ms: 10 })).toBeGreaterThan(0);
      expect(slow.ends).toEqual(['JobSlowError']);
      // The other one is at work, in the child that began it.
      expect(slow.pids).toHaveLength(2);
      await until(() => slow.pids.filter(isAlive).length === 1);
      // As a long one it holds other long ones.
      const order: string[] = [];
      const long = run({ do: 'pid' }, { bytes: 1001 }).then(() => order.push('long'));
      await run({ do: 'pid' });
      order.push('short');
      await Promise.all([slow.end(), long]);
      expect(order).toEqual(['short', 'long']);
    });

    it('give back what their child was given in advance', async () => {
      const eager: JobKind = { ...kind(), ahead: 1 };
      const slow = endless(2, { kind: eager });
      const waiting = await Promise.all(Array.from({ length: 4 }, () => run({ do: 'pid' }, { kind: eager })));
      expect(slow.ends).toEqual(['JobSlowError']);
      expect(waiting.filter((pid) => slow.pids.includes(pid as number))).toEqual([]);
      await slow.end();
    });

    it('do not become more than the slots', async () => {
      const slow = endless(5);
      await run({ do: 'pid' });
      expect(slow.pids).toHaveLength(5);
      expect(slow.ends).toEqual(new Array(4).fill('JobSlowError'));
      await until(() => slow.pids.filter(isAlive).length === 1);
      await slow.end();
    });
  });

  describe('jobs given in advance', () => {
    const eager: JobKind = { ...kind(), ahead: 1 };
    const both = (params: FixtureParams, more: Partial<Job> = {}) =>
      Array.from({ length: 2 }, () => run(params, { kind: eager, ...more }));

    it('are done by another child when theirs is killed', async () => {
      const running = both({ do: 'compute' });
      const failed = running.map((one) => expect(one).rejects.toMatchObject({ name: 'ChildEndedError' }));
      const waiting = both({ do: 'pid' });
      await until(async () => (await files()).length === 2);
      for (const { parentPath, name } of await files()) {
        process.kill(Number(await readFile(join(parentPath, name))), 'SIGKILL');
      }
      await Promise.all(failed);
      await expect(Promise.all(waiting)).resolves.toHaveLength(2);
    });

    it('leave the job before them alone when they are aborted', async () => {
      const stop = new AbortController();
      const running = both({ do: 'sleep', ms: 500 });
      const aborted = both({ do: 'pid' }, { signal: stop.signal }).map((one) =>
        expect(one).rejects.toThrow('not wanted'),
      );
      await run({ do: 'pid' }, { kind: eager, signal: AbortSignal.timeout(50) }).catch(() => undefined);
      stop.abort(new Error('not wanted'));
      await Promise.all(aborted);
      await expect(Promise.all(running)).resolves.toHaveLength(2);
      await expect(run({ do: 'pid' }, { kind: eager })).resolves.toBeGreaterThan(0);
    });

    it('are no longer given when a long job waits', async () => {
      const order: string[] = [];
      const shorts = () => both({ do: 'sleep', ms: 100 }).map((one) => one.then(() => order.push('short')));
      const jobs = [...shorts(), ...shorts()];
      jobs.push(run({ do: 'pid' }, { kind: eager, bytes: 1001 }).then(() => order.push('long')));
      jobs.push(...shorts(), ...shorts());
      await Promise.all(jobs);
      expect(order.indexOf('long')).toBeLessThan(6);
    });
  });

  describe('children', () => {
    it('are kept between jobs, and end after the idle time', async () => {
      open({ idleMs: 200 });
      const pid = (await run({ do: 'pid' })) as number;
      expect(await run({ do: 'pid' })).toBe(pid);
      await until(() => !isAlive(pid));
      expect(await run({ do: 'pid' })).not.toBe(pid);
    });

    it('that a long job has left with much memory do no short ones, and end soon', async () => {
      const pid = (await run({ do: 'grow', bytes: 300 * MIB }, { bytes: 1001 })) as number;
      expect(await run({ do: 'pid' })).not.toBe(pid);
      await until(() => !isAlive(pid));
    });

    it('end at once when a job is aborted, with its reason', async () => {
      const stop = new AbortController();
      const running = run({ do: 'compute' }, { signal: stop.signal });
      const ended = expect(running).rejects.toThrow('the document was deleted');
      const pid = await writtenPid();
      stop.abort(new Error('the document was deleted'));
      await ended;
      await until(() => !isAlive(pid));
      expect(await files()).toEqual([]);
    });

    it('do not begin a job that is aborted while it waits', async () => {
      const stop = new AbortController();
      const running = [run({ do: 'sleep', ms: 300 }), run({ do: 'sleep', ms: 300 })];
      const waiting = run({ do: 'pid' }, { signal: stop.signal });
      stop.abort(new Error('not wanted'));
      await expect(waiting).rejects.toThrow('not wanted');
      await expect(run({ do: 'pid' }, { signal: stop.signal })).rejects.toThrow('not wanted');
      await Promise.all(running);
    });

    it('end when the pool is closed, with the jobs that run and wait', async () => {
      const jobs = Array.from({ length: 4 }, () => run({ do: 'compute' }));
      const ended = Promise.all(jobs.map((one) => expect(one).rejects.toMatchObject({ name: 'PoolClosedError' })));
      const pid = await writtenPid();
      await pool.close();
      await ended;
      expect(isAlive(pid)).toBe(false);
      await expect(run({ do: 'pid' })).rejects.toMatchObject({ name: 'PoolClosedError' });
      expect(await readdir(join(folder, 'scratch')).catch(() => [])).toEqual([]);
    });

    it('end in the middle of a computation when the process of the pool is killed', async () => {
      const { fork } = await import('node:child_process');
      const parent = fork(new URL('./testing/parent.child.ts', import.meta.url), [join(folder, 'scratch'), input], {
        execArgv: ['--conditions=mneme-source', '--disable-warning=ExperimentalWarning'],
      });
      const pid = await writtenPid();
      expect(isAlive(pid)).toBe(true);
      parent.kill('SIGKILL');
      await once(parent, 'exit');
      await until(() => !isAlive(pid));
    });
  });

  it('removes at its start what an ended process left, and not what others use', async () => {
    const scratch = join(folder, 'scratch');
    const names = [`${hostname()}.99999999.a`, `${hostname()}.${process.ppid}.b`, 'elsewhere.1.c'];
    for (const name of names) await mkdir(join(scratch, name, 'job'), { recursive: true });
    open();
    await until(async () => !(await readdir(scratch)).includes(names[0]!));
    await run({ do: 'echo' });
    expect(await readdir(scratch)).toEqual(expect.arrayContaining(names.slice(1)));
  });
});
