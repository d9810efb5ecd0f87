import { execFile } from 'node:child_process';
import { join, resolve } from 'node:path';

const ROOT = resolve(import.meta.dirname, '../..');

export interface CommandResult {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** Runs `mneme ARGS` of a built checkout on a data folder. */
export function runMneme(
  args: readonly string[],
  { folder, env, root = ROOT }: { readonly folder: string; readonly env: object; readonly root?: string },
): Promise<CommandResult> {
  const settings = { PATH: process.env.PATH, MNEME_DATA: folder, ...env };
  return new Promise((done) => {
    execFile(process.execPath, [join(root, 'bin/mneme.js'), ...args], { env: settings }, (error, out, err) =>
      done({ code: error === null ? 0 : Number(error.code ?? 1), out, err }),
    );
  });
}
