import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { listen } from '../listen.ts';
import { Api } from './api.ts';
import { ApiError } from './api-error.ts';
import { Faults, send, sendError } from './faults.ts';
import { Objects, signatureOf, type Version } from './objects.ts';
import { Workspace } from './workspace.ts';

export type { Fault } from './faults.ts';

export interface NotionOptions {
  /** Default: a secret of the stand-in. */
  readonly token?: string;
  /** Most results of a page of a list, below what was asked for. Default: 100. */
  readonly largestPage?: number;
  /** How long the address of a file can be used. Milliseconds. Default: an hour. */
  readonly fileTtl?: number;
  /** Where the clock of the workspace begins. Milliseconds since the Unix epoch. Default: yesterday. */
  readonly now?: number;
}

/** A request that came. */
export interface Asked {
  readonly method: string;
  /** With query. */
  readonly path: string;
  readonly body: Readonly<Record<string, unknown>> | null;
  /** Null: without `Notion-Version`. */
  readonly version: string | null;
  /** Whether it brought a bearer token, also one that is wrong. */
  readonly hasToken: boolean;
  /** `files`: the host that keeps files, which is no host of the API. */
  readonly host: 'api' | 'files';
}

const VERSIONS: readonly string[] = ['2025-09-03', '2026-03-11'] satisfies Version[];

/**
 * A stand-in for Notion's public REST API on a free port of 127.0.0.1, and for the host of its files on another, after the
 * public description of the versions 2025-09-03 and 2026-03-11. It reads alone: what changes is changed by `workspace`.
 */
export async function startNotion(options: NotionOptions = {}) {
  const { token = 'ntn_stand_in_0123456789', largestPage = 100, fileTtl = 3_600_000, now } = options;
  const workspace = new Workspace(now);
  const faults = new Faults();
  const asked: Asked[] = [];
  let isRevoked = false;

  const note = (request: IncomingMessage, host: Asked['host'], body: Asked['body']) => {
    const { method = '', url: path = '', headers } = request;
    const version = headers['notion-version'];
    asked.push({
      ...{ method, path, body, host, hasToken: headers.authorization !== undefined },
      version: typeof version === 'string' ? version : null,
    });
  };

  const files = createServer((request, response) => {
    note(request, 'files', null);
    serveFile(workspace, request, response);
  });
  const filesPort = await listen(files);

  const answer = (request: IncomingMessage, body: Asked['body']) => {
    if (isRevoked || request.headers.authorization !== `Bearer ${token}`) {
      throw new ApiError(401, 'unauthorized', 'API token is invalid.');
    }
    const version = String(request.headers['notion-version'] ?? '');
    if (version === '') {
      const message = 'Notion-Version header failed validation: Notion-Version header should be defined.';
      throw new ApiError(400, 'missing_version', message);
    }
    if (!VERSIONS.includes(version)) {
      throw new ApiError(400, 'validation_error', `The stand-in does not know the version ${version}.`);
    }
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://127.0.0.1');
    const objects = new Objects(
      { url: () => `http://127.0.0.1:${filesPort}/files`, ttl: fileTtl, all: workspace.files },
      version as Version,
    );
    const given = request.method === 'GET' ? Object.fromEntries(searchParams) : (body ?? {});
    return new Api(workspace, objects, largestPage).answer({ method: request.method ?? '', path: pathname, given });
  };

  const api = createServer(async (request, response) => {
    try {
      const body = await bodyOf(request);
      note(request, 'api', body);
      if (!(await faults.meet(request, response))) send(response, 200, answer(request, body));
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      sendError(response, error.status, error.code, error.message);
    }
  });
  const port = await listen(api);

  return {
    /** Base address of the API, without `/v1`. */
    url: `http://127.0.0.1:${port}`,
    filesUrl: `http://127.0.0.1:${filesPort}`,
    token,
    workspace,
    faults,
    /** Every request since the start, in order. */
    asked,
    /** The token is no longer valid. */
    revoke: () => {
      isRevoked = true;
    },
    close: async () => {
      for (const server of [api, files]) {
        const closed = once(server, 'close');
        server.close();
        server.closeAllConnections();
        await closed;
      }
    },
  };
}

async function bodyOf(request: IncomingMessage): Promise<Asked['body']> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  const text = Buffer.concat(parts).toString();
  if (text === '') return null;
  try {
    return JSON.parse(text) as Asked['body'];
  } catch {
    throw new ApiError(400, 'invalid_json', 'Error parsing JSON body.');
  }
}

/** As the store does that keeps them: without a token, until the address ends. */
function serveFile(workspace: Workspace, request: IncomingMessage, response: ServerResponse): void {
  const { pathname, searchParams } = new URL(request.url ?? '/', 'http://127.0.0.1');
  const id = pathname.split('/')[2] ?? '';
  const until = Number(searchParams.get('X-Amz-Expires'));
  const file = workspace.files.get(id);
  const isSigned = searchParams.get('X-Amz-Signature') === signatureOf(id, until);
  if (file === undefined || !isSigned || Date.now() >= until) {
    const message = '<Error><Code>AccessDenied</Code><Message>Request has expired</Message></Error>';
    response.writeHead(403, { 'Content-Type': 'application/xml' }).end(message);
  } else {
    response.writeHead(200, { 'Content-Type': file.contentType, 'Content-Length': file.bytes.length }).end(file.bytes);
  }
}
