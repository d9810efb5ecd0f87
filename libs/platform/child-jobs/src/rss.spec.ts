import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { rssByProc, rssByPs, treeRss } from './rss.ts';

const MIB = 1024 * 1024;

describe('resident memory of a process and its descendants', () => {
  let proc: string;
  beforeEach(async () => {
    proc = await mkdtemp(join(tmpdir(), 'mneme-proc-'));
  });
  afterEach(() => rm(proc, { recursive: true }));

  const write = async (path: string, text: string) => {
    await mkdir(dirname(join(proc, path)), { recursive: true });
    await writeFile(join(proc, path), text);
  };
  const addProcess = async (pid: number, parent: number, kilobytes: number) => {
    await write(`${pid}/stat`, `${pid} (a (strange) name) S ${parent} 1 1`);
    await write(`${pid}/status`, `Name:\tnode\nVmPeak:\t  999999 kB\nVmRSS:\t  ${kilobytes} kB\nThreads:\t3\n`);
  };

  it('is summed over the descendants, found by their parents', async () => {
    await addProcess(10, 1, 100);
    await addProcess(11, 10, 20);
    await addProcess(12, 11, 3);
    await addProcess(13, 1, 5000);
    await write('version', 'not a process');
    expect(await rssByProc(10, proc)).toBe(123 * 1024);
  });

  it('is summed over the descendants that the kernel lists', async () => {
    await addProcess(10, 1, 100);
    await addProcess(11, 10, 20);
    await addProcess(12, 11, 3);
    await write('thread-self/children', '');
    await write('10/task/10/children', '11 ');
    await write('10/task/15/children', '');
    await write('11/task/11/children', '12 ');
    // 14 ended between the list and its status.
    await write('12/task/12/children', '14 ');
    expect(await rssByProc(10, proc)).toBe(123 * 1024);
  });

  it('is 0 for a process that has ended', async () => {
    expect(await rssByProc(10, proc)).toBe(0);
  });

  it('agrees with `ps`, up to what changes between the two measurements', async () => {
    const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000); console.log("ready")']);
    await once(child.stdout, 'data');
    const [measured, byPs] = [await treeRss(process.pid), await rssByPs(process.pid)];
    child.kill();
    expect(measured).toBeGreaterThan(process.memoryUsage.rss() / 2);
    expect(Math.abs(measured - byPs)).toBeLessThan(50 * MIB);
  });
});
