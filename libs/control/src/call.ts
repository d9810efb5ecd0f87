import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { createInterface } from 'node:readline';
import { readVersion } from '#config';
import type { JsonObject } from '#kernel';
import { socketPathOf } from './socket-path.ts';
import { type Line, VERSION_HEADER } from './wire.ts';

/** No server listens there: none ever did, or it is gone. */
const NOBODY = new Set(['ENOENT', 'ECONNREFUSED', 'ENOTDIR']);
const ENDED = 'The server ended before it had answered';

/**
 * Asks the server that works on the data folder.
 * @returns null: there is none. Ends without an error when the signal aborts
 * @throws Error with the name and the message of what went wrong there
 */
export async function callControl(
  folder: string,
  operation: string,
  input: JsonObject,
  signal: AbortSignal,
): Promise<AsyncIterable<JsonObject> | null> {
  const call = request({
    socketPath: await socketPathOf(folder),
    path: `/${operation}`,
    method: 'POST',
    headers: { 'content-type': 'application/json', [VERSION_HEADER]: readVersion() },
    signal,
  });
  // Also after the answer has begun the request may fail; what is missing of the answer tells of it.
  call.on('error', () => {});
  call.end(JSON.stringify(input));
  try {
    const [response] = (await once(call, 'response')) as [IncomingMessage];
    return linesOf(response, signal);
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    if (signal.aborted) return nothing();
    if (NOBODY.has(code)) return null;
    if (code === 'ECONNRESET') throw named('OperatorError', ENDED);
    if (code === 'EACCES') throw named('OperatorError', `The server on ${folder} belongs to another user`);
    throw error;
  }
}

async function* linesOf(response: IncomingMessage, signal: AbortSignal): AsyncIterable<JsonObject> {
  try {
    for await (const text of createInterface({ input: response })) {
      const line = JSON.parse(text) as Line;
      if ('end' in line) return;
      if ('error' in line) throw named(line.error.name, line.error.message);
      yield line.line as JsonObject;
    }
  } catch (error) {
    if (signal.aborted) return;
    throw (error as NodeJS.ErrnoException).code === 'ECONNRESET' ? named('OperatorError', ENDED) : error;
  }
  if (!signal.aborted) throw named('OperatorError', ENDED);
}

async function* nothing(): AsyncIterable<never> {}

const named = (name: string, message: string): Error => Object.assign(new Error(message), { name });
