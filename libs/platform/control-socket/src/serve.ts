import { once } from 'node:events';
import { chmod } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { readVersion } from '#platform/config';
import { errorRecord, type JsonObject } from '#platform/kernel';
import { VersionMismatchError } from './errors.ts';
import { claimSocketPath, releaseSocketPath } from './socket-path.ts';
import { NDJSON, VERSION_HEADER } from './wire.ts';

export type Run = (name: string, input: JsonObject, signal: AbortSignal) => AsyncIterable<JsonObject>;

export interface ControlServer {
  close(): Promise<void>;
}

/**
 * Runs operations for the owner of the data folder: `POST /<operation>` with its input as JSON, answered by JSON lines.
 * Access to the socket permits every operation, so only its owner may open it.
 */
export async function serveControl(folder: string, run: Run): Promise<ControlServer> {
  const path = await claimSocketPath(folder);
  const running = new Set<AbortController>();
  const server = createServer((request, response) => {
    const stopping = new AbortController();
    running.add(stopping);
    response.on('close', () => stopping.abort());
    answer(request, response, run, stopping.signal)
      .catch((error: Error) => response.destroy(error))
      .finally(() => running.delete(stopping));
  });
  // `listen` makes the socket, which must never be open to other users.
  const before = process.umask(0o177);
  try {
    server.listen(path);
  } finally {
    process.umask(before);
  }
  await once(server, 'listening');
  await chmod(path, 0o600);
  return {
    close: async () => {
      for (const one of running) one.abort();
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
      await releaseSocketPath(folder);
    },
  };
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  run: Run,
  signal: AbortSignal,
): Promise<void> {
  const version = readVersion();
  response.setHeader('content-type', NDJSON);
  response.setHeader(VERSION_HEADER, version);
  const line = (value: object) => response.write(`${JSON.stringify(value)}\n`);
  try {
    const asked = request.headers[VERSION_HEADER];
    if (asked !== version) throw new VersionMismatchError(`The server is version ${version}, the command is ${asked}`);
    const input = JSON.parse((await bodyOf(request)) || '{}') as JsonObject;
    // The first line may take long.
    response.flushHeaders();
    for await (const one of run((request.url ?? '/').slice(1), input, signal)) {
      if (signal.aborted) break;
      if (!line({ line: one })) await once(response, 'drain', { signal });
    }
    line({ end: true });
  } catch (error) {
    if (signal.aborted) return;
    const { stack: _, ...record } = errorRecord(error);
    line({ error: record });
  }
  response.end();
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  let body = '';
  for await (const part of request.setEncoding('utf8')) body += part;
  return body;
}
