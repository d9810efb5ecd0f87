import { setTimeout as pause } from 'node:timers/promises';
import type { Mneme } from '../../../support/mneme.ts';
import { ProcessGone, type Reply, type Request } from '../target.ts';

/** Settings of a server with the stand-in for the model. */
export const STAND_IN = {
  MNEME_EMBEDDING: 'local',
  MNEME_LOG_LEVEL: 'warn',
  NODE_OPTIONS: `--import=${new URL('../../stand-in/register.ts', import.meta.url).href}`,
};

/** Milliseconds between two looks at whether a process that does not answer has ended. */
const LOOK_MS = 10;
const LOOKS = 500;

/** What servers logged, one after the other, and what the last one says of its health. */
export async function evidenceOf(servers: readonly Mneme[]): Promise<string> {
  const parts = servers.map(({ pid, running, output }) => [`process ${pid}, ${running ? 'runs' : 'ended'}`, ...output]);
  const health = servers
    .at(-1)
    ?.get('/v3/health')
    .then(({ body }) => JSON.stringify(body), String);
  return [...parts.flat(), `health: ${await health}`].join('\n');
}

/** @throws ProcessGone; the error of the connection if the process still runs */
export async function sendTo(server: Mneme, { method, path, body, headers }: Request): Promise<Reply> {
  try {
    return await server.request(method, path, body, { ...headers });
  } catch (error) {
    // The connection may end a moment before the process does.
    for (let look = 0; look < LOOKS && server.running; look += 1) await pause(LOOK_MS);
    if (server.running) throw error;
    throw new ProcessGone('the process was killed', { cause: error });
  }
}
