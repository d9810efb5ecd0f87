import { fork } from 'node:child_process';
import { once } from 'node:events';
import type { FromEcho } from '../echo.child.ts';

const CHILD = new URL('../echo.child.ts', import.meta.url);

export interface Echo {
  readonly url: string;
  stop(): Promise<void>;
}

/** Starts the bare echo in a separate process. */
export async function startEcho(): Promise<Echo> {
  const child = fork(CHILD);
  const ended = once(child, 'exit');
  const listening = once(child, 'message') as Promise<[FromEcho]>;
  const early = ended.then(([code]) => Promise.reject(new Error(`the echo ended with code ${code}`)));
  const [{ url }] = await Promise.race([listening, early]);
  early.catch(() => undefined);
  return {
    url,
    async stop() {
      child.kill();
      await ended;
    },
  };
}
