import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { readVersion } from '#platform/config';
import { errorFromRecord, type JsonObject, textLines } from '#platform/kernel';
import { ControlError, VersionMismatchError } from './errors.ts';
import { socketPathOf } from './socket-path.ts';
import { type Line, VERSION_HEADER } from './wire.ts';

/** Error codes of a socket without a server. */
const NOT_LISTENING = new Set(['ENOENT', 'ECONNREFUSED', 'ENOTDIR']);
const ENDED = 'The server ended before it had answered';

/**
 * Calls the server that works on the data folder. Ends without an error when the signal aborts.
 * @returns null if no server listens
 * @throws the error of the server, with its kind, code and details
 * @throws VersionMismatchError, ControlError
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
  // The request may also fail after the answer has begun, which is detected by the missing last line.
  call.on('error', () => {});
  call.end(JSON.stringify(input));
  try {
    const [response] = (await once(call, 'response')) as [IncomingMessage];
    return linesOf(response, signal);
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    if (signal.aborted) return nothing();
    if (NOT_LISTENING.has(code)) return null;
    if (code === 'ECONNRESET') throw new ControlError(ENDED, { cause: error });
    if (code === 'EACCES') {
      throw new ControlError(`The data folder ${folder}, or the server on it, belongs to another user.`, {
        cause: error,
      });
    }
    throw error;
  }
}

async function* linesOf(response: IncomingMessage, signal: AbortSignal): AsyncIterable<JsonObject> {
  // A server of another version answers with an error, whose record may have other fields.
  const isSameVersion = response.headers[VERSION_HEADER] === readVersion();
  try {
    for await (const text of textLines(response)) {
      const line = JSON.parse(text) as Line;
      if ('end' in line) return;
      if ('error' in line)
        throw isSameVersion ? errorFromRecord(line.error) : new VersionMismatchError(line.error.message);
      yield line.line as JsonObject;
    }
  } catch (error) {
    if (signal.aborted) return;
    throw (error as NodeJS.ErrnoException).code === 'ECONNRESET' ? new ControlError(ENDED, { cause: error }) : error;
  }
  if (!signal.aborted) throw new ControlError(ENDED);
}

async function* nothing(): AsyncIterable<never> {}
