import { type ChildProcess, execFile, fork } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, constants, openSync } from 'node:fs';
import { mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { until } from '../../kernel/src/testing/eventually.ts';
import { LogOutput } from './log-output.ts';

const run = promisify(execFile);
const { O_RDWR, O_NONBLOCK } = constants;
const KIBIBYTE = 1024;

describe('a process whose standard error takes nothing more', () => {
  let child: ChildProcess;
  afterEach(() => child.kill('SIGKILL'));

  const start = (stderr: 'pipe' | number) => {
    child = fork(new URL('./logger.fixture.ts', import.meta.url), {
      execArgv: ['--conditions=mneme-source', '--disable-warning=ExperimentalWarning'],
      stdio: ['ignore', 'ignore', stderr, 'ipc'],
    });
    return child;
  };

  it.each([
    ['because nobody reads the pipe', () => start('pipe')],
    [
      'because the disk is full',
      () => {
        const full = openSync('/dev/full', 'w');
        start(full);
        closeSync(full);
      },
    ],
  ])('%s goes on and ends', async (_, startIt) => {
    startIt();
    expect(await once(child, 'message')).toEqual(['goes on', undefined]);
    expect(await once(child, 'exit')).toEqual([0, null]);
  });
});

describe('LogOutput', () => {
  let folder: string;
  let path: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'mneme-log-'));
    path = join(folder, 'pipe');
    await run('mkfifo', [path]);
  });
  afterEach(() => rm(folder, { recursive: true }));

  /** Reads lines until one has the text. */
  async function linesUntil(text: string): Promise<string[]> {
    await using pipe = await open(path, O_RDWR | O_NONBLOCK);
    let read = '';
    await until(async () => {
      const { bytesRead, buffer } = await pipe.read(Buffer.alloc(64 * KIBIBYTE)).catch((error) => {
        if (error.code !== 'EAGAIN') throw error;
        return { bytesRead: 0, buffer: Buffer.alloc(0) };
      });
      read += buffer.toString('utf8', 0, bytesRead);
      return read.includes(text);
    });
    return read.trimEnd().split('\n');
  }

  it('keeps the first lines for an output that takes them later, and says how many it dropped', async () => {
    // A write to this descriptor waits while the pipe is full.
    const waiting = openSync(path, O_RDWR);
    const output = new LogOutput(waiting, (lines) => `lost ${lines}\n`);
    const lines = Array.from({ length: 3 * KIBIBYTE }, (_, i) => `${i} `.padEnd(KIBIBYTE - 1, 'x'));
    for (const line of lines) output.write(`${line}\n`);

    const received = await linesUntil('lost');
    const kept = received.length - 1;
    expect(received.slice(0, kept)).toEqual(lines.slice(0, kept));
    expect(kept).toBe(KIBIBYTE);
    expect(received.at(-1)).toBe(`lost ${lines.length - kept}`);

    output.write('and goes on\n');
    expect(await linesUntil('goes on')).toEqual(['and goes on']);
    closeSync(waiting);
  });

  it('flush() writes what the output takes at once', async () => {
    const waiting = openSync(path, O_RDWR);
    const output = new LogOutput(waiting, () => '');
    output.write('one\n');
    output.write('two\n');
    output.flush();
    expect(await linesUntil('two')).toEqual(['one', 'two']);
    closeSync(waiting);
  });
});
