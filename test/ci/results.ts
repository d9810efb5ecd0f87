import type { JestRun, SuiteRun } from './jest-run.ts';

export interface Results {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
  /** First runs of the suites that failed and then passed alone. */
  readonly flaky: readonly SuiteRun[];
  /** Last runs of the suites that failed. */
  readonly failing: readonly SuiteRun[];
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
    failing: suites.filter(({ failed }) => failed > 0),
    suites,
  };
}

/** Lines of a failure in a report: the end of a run is what one reads first. */
const FAILURE_LINES = 30;

/** Describes suites that failed by the first failure of each; an empty text if there are none. */
export function failureReport(title: string, suites: readonly SuiteRun[]): string {
  if (suites.length === 0) return '';
  const lines = suites.flatMap((suite) => [
    `  ${nameOf(suite)}: ${suite.failed} failed`,
    ...`${suite.failure}`.split('\n', FAILURE_LINES).map((line) => `    ${line}`),
  ]);
  return [`${title}:`, ...lines].join('\n');
}

/** Lists the longest suites, for the order in tools/longest-first.mjs. */
export function longestReport(suites: readonly SuiteRun[]): string {
  const longest = suites.toSorted((one, other) => other.seconds - one.seconds).slice(0, 30);
  return ['longest:', ...longest.map((suite) => `  ${`${suite.seconds}`.padStart(4)} s  ${nameOf(suite)}`)].join('\n');
}

const nameOf = ({ path, group }: SuiteRun): string => (group === null ? path : `${path} (${group})`);

async function runAgain(suite: SuiteRun, again: (suite: SuiteRun) => Promise<JestRun>): Promise<SuiteRun> {
  const { suites, isBroken } = await again(suite);
  const [second] = suites;
  return second === undefined || isBroken ? suite : second;
}
