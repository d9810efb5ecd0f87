import { spawn } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { serveJobs } from '../serve.ts';

/** What the fixture is asked to do, one thing per job. */
export type FixtureParams =
  | { readonly do: 'echo' }
  | { readonly do: 'pid' }
  /** Returns how many such jobs the process has done. */
  | { readonly do: 'count' }
  | { readonly do: 'environment' }
  | { readonly do: 'fail' }
  | { readonly do: 'exit' }
  /** Reports its process id, then the numbers. */
  | { readonly do: 'report'; readonly numbers: readonly number[]; readonly thenMs: number }
  | { readonly do: 'sleep'; readonly ms: number }
  | { readonly do: 'compute' }
  /** Returns its process id, and keeps memory. */
  | { readonly do: 'grow'; readonly bytes: number }
  | { readonly do: 'hold'; readonly bytes: number }
  | { readonly do: 'hold-in-descendant'; readonly bytes: number }
  | { readonly do: 'fill-heap' }
  | { readonly do: 'write'; readonly bytes: number; readonly thenMs: number };

const held: Buffer[] = [];
let count = 0;

serveJobs(async ({ params, input, output }, report) => {
  const job = params as unknown as FixtureParams;
  switch (job.do) {
    case 'echo':
      writeFileSync(output, readFileSync(input));
      return null;
    case 'pid':
      return process.pid;
    case 'count':
      count += 1;
      return count;
    case 'environment':
      return Object.keys(process.env);
    case 'fail':
      throw new TypeError('it failed');
    case 'exit':
      return process.exit(3);
    case 'report':
      for (const value of [process.pid, ...job.numbers]) report(value);
      await pause(job.thenMs);
      return 'done';
    case 'sleep':
      await pause(job.ms);
      return process.pid;
    case 'compute':
      writeFileSync(output, String(process.pid));
      for (;;);
    case 'grow':
      held.push(Buffer.alloc(job.bytes, 1));
      return process.pid;
    case 'hold':
      held.push(Buffer.alloc(job.bytes, 1));
      await pause(60_000);
      return null;
    case 'hold-in-descendant': {
      // Two generations: only the second one takes memory.
      const grandchild = `const held = Buffer.alloc(${job.bytes}, 1); setInterval(() => held, 1000)`;
      const child = `require('node:child_process').spawn(process.execPath, ['-e', ${JSON.stringify(grandchild)}], { stdio: 'inherit' })
        .on('spawn', function () { require('node:fs').writeFileSync(process.argv[1], String(this.pid)) })`;
      spawn(process.execPath, ['-e', child, output], { stdio: 'inherit' });
      await pause(60_000);
      return null;
    }
    case 'fill-heap': {
      const lists: number[][] = [];
      for (;;) lists.push(new Array(10_000).fill(lists.length + 0.5));
    }
    case 'write':
      writeFileSync(output, Buffer.alloc(job.bytes));
      await pause(job.thenMs);
      return null;
  }
});
