import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { eventually } from '../../support/mneme.ts';
import type { Bench, BenchOptions, Outcome } from '../support/bench.ts';
import { seconds } from '../support/statistics.ts';

const ROOT = resolve(import.meta.dirname, '../../..');
const KEY = 'sm_bench_owner_key_0123456789';
const TARGET_SECONDS = 60;
const TIMEOUT_MS = 600_000;
const run = promisify(execFile);

/** Time to the first result for a new user: clone of the last commit, `npm install`, `npm start`, an add, a search. */
export const clone: Bench = {
  name: 'clone',
  onRequest: true,
  async run({ progress }: BenchOptions): Promise<Outcome> {
    const folder = await mkdtemp(join(tmpdir(), 'mneme-bench-clone-'));
    const repository = join(folder, 'mneme');
    const steps: Record<string, number> = {};
    const begun = performance.now();
    const passed = (step: string) => {
      steps[step] = (performance.now() - begun) / 1_000;
      progress(`${step} after ${seconds(steps[step])}`);
    };
    let server: ChildProcess | null = null;
    try {
      await run('git', ['clone', '--quiet', `file://${ROOT}`, repository]);
      passed('cloned');
      await run('npm', ['install', '--no-audit', '--no-fund'], {
        cwd: repository,
        env: environment(),
        timeout: TIMEOUT_MS,
      });
      passed('installed');
      server = spawn('npm', ['start'], {
        cwd: repository,
        env: { ...environment(), MNEME_PORT: '0', MNEME_DATA: join(folder, 'data'), MNEME_API_KEY: KEY },
        stdio: ['ignore', 'pipe', 'inherit'],
        // A separate process group, because npm starts a shell that starts the server.
        detached: true,
      });
      const url = await addressOf(server);
      passed('started');
      await addAndFind(url);
      passed('found');
    } finally {
      if (server?.pid && server.exitCode === null) {
        process.kill(-server.pid, 'SIGTERM');
        await once(server, 'exit');
      }
      await rm(folder, { recursive: true, force: true, maxRetries: 5 });
    }
    const took = steps.found as number;
    return {
      rows: [
        {
          what: 'clone to first answer, packages cached as far as npm has them',
          measured: seconds(took),
          target: `≤ ${TARGET_SECONDS} s`,
          met: took <= TARGET_SECONDS,
        },
      ],
      raw: steps,
    };
  },
};

/** The environment of a new user: without variables of npm and Mneme. */
function environment(): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^(npm_|MNEME_|NODE_OPTIONS$)/.test(name)));
}

async function addressOf(server: ChildProcess): Promise<string> {
  const lines = createInterface({ input: server.stdout as NodeJS.ReadableStream });
  const ended = once(server, 'exit').then(([code]) => Promise.reject(new Error(`npm start ended with code ${code}`)));
  const found = new Promise<string>((resolve) => {
    lines.on('line', (line) => {
      const address = /listens on (http:\S+)/.exec(line)?.[1];
      if (address) resolve(address);
    });
  });
  ended.catch(() => undefined);
  return Promise.race([found, ended]);
}

async function addAndFind(url: string): Promise<void> {
  const headers = { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' };
  const post = async (path: string, body: object) => {
    const response = await fetch(url + path, { method: 'POST', headers, body: JSON.stringify(body) });
    if (!response.ok) throw new Error(`${path} was answered with ${response.status}`);
    return (await response.json()) as Record<string, unknown>;
  };
  await post('/v3/documents', { content: 'The kettle is in the blue cupboard.' });
  await eventually(async () => {
    const { results } = await post('/v4/search', { q: 'kettle in the blue cupboard' });
    return (results as unknown[]).length > 0 ? true : null;
  });
}
