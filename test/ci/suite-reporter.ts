import { writeFileSync } from 'node:fs';
import { relative } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import type { SuiteRun } from './jest-run.ts';

/** What is read of Jest's `Test`. */
interface Test {
  readonly path: string;
  readonly context: { readonly config: { readonly rootDir: string; readonly displayName?: { readonly name: string } } };
}

/** What is read of Jest's `TestResult`. */
interface TestResult {
  readonly numPassingTests: number;
  readonly numFailingTests: number;
  readonly numPendingTests: number;
  /** Milliseconds. */
  readonly perfStats: { readonly runtime: number };
  /** Why the suite could not run. */
  readonly testExecError?: object;
  readonly failureMessage?: string | null;
  readonly testResults: readonly {
    readonly status: string;
    readonly fullName: string;
    readonly failureMessages: readonly string[];
  }[];
}

/** A reporter of Jest that writes a `SuiteRun` per suite to the file MNEME_TEST_REPORT: Jest's own JSON does not name projects. */
export default class SuiteReporter {
  readonly #runs: SuiteRun[] = [];

  onTestResult({ context, path }: Test, result: TestResult): void {
    const { rootDir, displayName } = context.config;
    this.#runs.push({
      group: displayName?.name ?? null,
      path: relative(rootDir, path),
      passed: result.numPassingTests,
      failed: result.numFailingTests + (result.testExecError ? 1 : 0),
      skipped: result.numPendingTests,
      seconds: Math.round(result.perfStats.runtime / 1_000),
      failure: failureOf(result),
    });
  }

  onRunComplete(): void {
    writeFileSync(process.env.MNEME_TEST_REPORT as string, JSON.stringify(this.#runs));
  }
}

/** Lines of a stack outside of the project. */
const OF_PACKAGES = /^\s+at .*(node_modules\/|node:internal|<anonymous>\)$)/;

function failureOf({ testResults, failureMessage }: TestResult): string | null {
  const failed = testResults.find(({ status }) => status === 'failed');
  const text = failed === undefined ? failureMessage : `${failed.fullName}\n${failed.failureMessages[0] ?? ''}`;
  if (!text) return null;
  const lines = stripVTControlCharacters(text).trim().split('\n');
  return lines.filter((line) => !OF_PACKAGES.test(line)).join('\n');
}
