import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

/** One run of a suite. */
export interface SuiteRun {
  /** Name of the engines, if the suite runs on several. */
  readonly group: string | null;
  /** Relative to the project. */
  readonly path: string;
  readonly passed: number;
  /** Failed tests, and 1 for a suite that could not run. */
  readonly failed: number;
  readonly skipped: number;
  readonly seconds: number;
  /** The first failed test with its message, or why the suite could not run; null if nothing failed. */
  readonly failure: string | null;
}

export interface JestRun {
  readonly suites: readonly SuiteRun[];
  /** Whether Jest failed although no suite did, e.g. because it was killed. */
  readonly isBroken: boolean;
}

/** A program that passes further arguments on to Jest. */
export interface JestCommand {
  readonly program: string;
  readonly args: readonly string[];
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Where Jest prints: a file descriptor. Default: the terminal. */
  readonly output?: number | 'ignore' | 'inherit' | undefined;
}

const REPORTERS = ['--reporters=default', `--reporters=${resolve(import.meta.dirname, 'suite-reporter.ts')}`];

/** Runs Jest on suites and reads what its reporter writes. */
export async function runJest({ program, args, cwd, env, output = 'inherit' }: JestCommand): Promise<JestRun> {
  const folder = await mkdtemp(join(tmpdir(), 'mneme-report-'));
  const report = join(folder, 'suites.json');
  try {
    const jest = spawn(program, [...args, '--ci', ...REPORTERS], {
      cwd,
      env: { ...process.env, ...env, MNEME_TEST_REPORT: report },
      stdio: ['ignore', output, output],
    });
    const [code] = await once(jest, 'exit');
    const suites = await suitesIn(report);
    return {
      suites: suites ?? [],
      isBroken: suites === null || (code !== 0 && suites.every(({ failed }) => failed === 0)),
    };
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** Returns arguments that have Jest run one suite, and end even if the suite leaves a thread or a timer. */
export const alone = ({ path }: SuiteRun): readonly string[] => [
  '--runInBand',
  '--forceExit',
  '--runTestsByPath',
  path,
];

async function suitesIn(report: string): Promise<readonly SuiteRun[] | null> {
  const text = await readFile(report, 'utf8').catch(() => null);
  return text === null ? null : JSON.parse(text);
}
