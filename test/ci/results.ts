import type { JestRun, SuiteRun } from './jest-run.ts';

export interface Results {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
  /** First runs of the suites that failed and then passed alone. */
  readonly flaky: readonly SuiteRun[];
  /** First runs of all suites. */
  readonly suites: readonly SuiteRun[];
}

/** Runs each failed suite once more with `again`, one after the other. A suite counts with the results of its last run. */
export async function withReruns(first: JestRun, again: (suite: SuiteRun) => Promise<JestRun>): Promise<Results> {
  const last: SuiteRun[] = [];
  const flaky: SuiteRun[] = [];
  for (const suite of first.suites) {
    const second = suite.failed === 0 ? suite : await runAgain(suite, again);
    last.push(second);
    if (suite.failed > 0 && second.failed === 0) flaky.push(suite);
  }
  return { ...resultsOf({ ...first, suites: last }), flaky, suites: first.suites };
}

/** A run of Jest that is broken counts as one failure. */
export function resultsOf({ suites, isBroken }: JestRun): Results {
  const sum = (count: 'passed' | 'failed' | 'skipped') => suites.reduce((total, suite) => total + suite[count], 0);
  return {
    passed: sum('passed'),
    failed: sum('failed') + (isBroken ? 1 : 0),
    skipped: sum('skipped'),
    flaky: [],
    suites,
  };
}

/** Describes the flaky suites by the first failure of each. */
export function flakyReport(flaky: readonly SuiteRun[]): string {
  if (flaky.length === 0) return '';
  const suites = flaky.map((suite) =>
    [nameOf(suite), ...`${suite.failure}`.split('\n').map((line) => `  ${line}`)].join('\n'),
  );
  return `flaky:\n${suites.join('\n').replaceAll(/^/gm, '  ')}`;
}

/** Lists the longest suites, for the order in tools/longest-first.mjs. */
export function longestReport(suites: readonly SuiteRun[]): string {
  const longest = suites.toSorted((one, other) => other.seconds - one.seconds).slice(0, 40);
  return ['longest:', ...longest.map((suite) => `  ${`${suite.seconds}`.padStart(4)} s  ${nameOf(suite)}`)].join('\n');
}

const nameOf = ({ path, group }: SuiteRun): string => (group === null ? path : `${path} (${group})`);

async function runAgain(suite: SuiteRun, again: (suite: SuiteRun) => Promise<JestRun>): Promise<SuiteRun> {
  const { suites, isBroken } = await again(suite);
  const [second] = suites;
  return second === undefined || isBroken ? suite : second;
}
