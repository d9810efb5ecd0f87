import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';

/** Runs a fixture of this folder in a process of its own and returns the JSON that it prints. */
export async function runFixture<T>(name: string, ...args: readonly string[]): Promise<T> {
  const options = ['--conditions=mneme-source', '--disable-warning=ExperimentalWarning'];
  const { stdout } = await promisify(execFile)(process.execPath, [
    ...options,
    join(import.meta.dirname, name),
    ...args,
  ]);
  return JSON.parse(stdout) as T;
}
