import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { listen } from '../listen.ts';
import { ApiError } from './api-error.ts';
import { Channels } from './channels.ts';
import { Drive } from './drive.ts';
import { DriveApi } from './drive-api.ts';
import { Faults } from './faults.ts';
import { type Client, OAuth, type OAuthAnswer, type User } from './oauth.ts';

const BASE = '/drive/v3';
const DRIVE_SCOPE = 'https://www.googleapis.com/auth/drive';

export interface GoogleOptions {
  /** Default: one with the id `client-id` and the secret `client-secret`, and every address of 127.0.0.1 that `allow` gets. */
  readonly clients?: readonly Client[];
  readonly user?: User;
}

/** A request that came. */
export interface Asked {
  readonly host: 'accounts' | 'api';
  readonly method: string;
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  /** Of a form or of JSON. */
  readonly body: Readonly<Record<string, unknown>>;
  readonly authorization: string | undefined;
  readonly status: number;
}

/**
 * A stand-in for Google's authorization server and for version 3 of the Drive API, each on a free port of 127.0.0.1, after
 * their public descriptions. The API reads alone: what changes is changed by `drive`.
 */
export async function startGoogle(options: GoogleOptions = {}) {
  const { user = { email: 'alice@example.com', name: 'Alice', sub: '1094561' } } = options;
  const clients = [...(options.clients ?? [{ id: 'client-id', secret: 'client-secret', redirectUris: [] }])];
  const faults = new Faults();
  const oauthFaults = new Faults();
  const asked: Asked[] = [];
  const drive = new Drive(user.email);
  // Made as soon as the ports are known.
  let oauth: OAuth;
  let api: DriveApi;

  const serve = (host: Asked['host'], answer: (one: Incoming, response: ServerResponse) => Promise<void> | void) =>
    createServer(async (request, response) => {
      const incoming = await read(request);
      response.once('close', () => {
        const { method, path, query, body, authorization } = incoming;
        const named = Object.fromEntries(query);
        asked.push({ host, method, path, query: named, body, authorization, status: response.statusCode });
      });
      try {
        await answer(incoming, response);
      } catch (error) {
        if (!(error instanceof ApiError)) throw error;
        sendJson(response, error.status, error.body());
      }
    });

  const accounts = serve('accounts', async ({ request, method, path, query, form, authorization }, response) => {
    if (await oauthFaults.meet(request, response)) return;
    const routes: Record<string, () => OAuthAnswer> = {
      'GET /.well-known/openid-configuration': () => ({ status: 200, body: oauth.metadata() }),
      'GET /oauth2/v3/certs': () => ({ status: 200, body: oauth.certs() }),
      'GET /o/oauth2/v2/auth': () => oauth.authorize(query),
      'POST /token': () => oauth.token(form, authorization),
      'POST /revoke': () => oauth.revoke(form.get('token') ?? query.get('token') ?? ''),
      'GET /v1/userinfo': () =>
        oauth.scopesOf(authorization) === null
          ? { status: 401, body: { error: 'invalid_request', error_description: 'Invalid Credentials' } }
          : { status: 200, body: oauth.userinfo() },
    };
    const answer = routes[`${method} ${path}`]?.() ?? { status: 404, text: 'Not Found' };
    if (answer.location !== undefined) response.writeHead(answer.status, { Location: answer.location }).end();
    else if (answer.body !== undefined) sendJson(response, answer.status, answer.body);
    else response.writeHead(answer.status, { 'Content-Type': 'text/html' }).end(answer.text);
  });

  const driveServer = serve('api', async ({ request, method, path, query, body, authorization }, response) => {
    if (await faults.meet(request, response)) return;
    const scopes = oauth.scopesOf(authorization);
    if (scopes === null) throw new ApiError(401, 'authError', 'Invalid Credentials', 'Authorization');
    if (!scopes.some((scope) => scope.startsWith(DRIVE_SCOPE))) {
      const message = 'Insufficient Permission: Request had insufficient authentication scopes.';
      throw new ApiError(403, 'insufficientPermissions', message);
    }
    if (!path.startsWith(`${BASE}/`)) throw new ApiError(404, 'notFound', 'Not Found');
    const readsContent = scopes.some((scope) => [DRIVE_SCOPE, `${DRIVE_SCOPE}.readonly`].includes(scope));
    const answer = api.answer({ method, path: path.slice(BASE.length), query, body, readsContent });
    if (answer.bytes === undefined) {
      if (answer.body === undefined) response.writeHead(answer.status).end();
      else sendJson(response, answer.status, answer.body);
    } else sendBytes(request, response, answer.bytes, answer.contentType ?? 'application/octet-stream');
  });

  const accountsUrl = `http://127.0.0.1:${await listen(accounts)}`;
  const apiUrl = `http://127.0.0.1:${await listen(driveServer)}`;
  const channels = new Channels(apiUrl + BASE);
  oauth = new OAuth(accountsUrl, clients, user);
  api = new DriveApi(drive, channels);
  drive.onChange = (log) => channels.changed(log);

  return {
    /** Of the authorization server, which publishes its metadata. At Google: https://accounts.google.com */
    issuer: accountsUrl,
    authorizationUrl: `${accountsUrl}/o/oauth2/v2/auth`,
    tokenUrl: `${accountsUrl}/token`,
    revokeUrl: `${accountsUrl}/revoke`,
    userinfoUrl: `${accountsUrl}/v1/userinfo`,
    /** At Google: https://www.googleapis.com */
    apiUrl,
    /** With `/drive/v3`. */
    driveUrl: apiUrl + BASE,
    user,
    drive,
    oauth,
    channels,
    /** Of the API. */
    faults,
    /** Of the authorization server. */
    oauthFaults,
    /** Every request that was answered since the start, in order. */
    asked,
    /** Lets a client send browsers back to an address. @param id of the client. Default: the first one */
    allow: (redirectUri: string, id = clients[0]?.id) => {
      const at = clients.findIndex((client) => client.id === id);
      const client = clients[at];
      if (client === undefined) throw new Error(`no client ${id}`);
      clients[at] = { ...client, redirectUris: [...client.redirectUris, redirectUri] };
    },
    /** Tokens of pages and of changes that were given until now do not work any longer. */
    expirePageTokens: () => api.pages.expire(drive.skipNumber()),
    close: async () => {
      for (const server of [accounts, driveServer]) {
        const closed = once(server, 'close');
        server.close();
        server.closeAllConnections();
        await closed;
      }
    },
  };
}

interface Incoming {
  readonly request: IncomingMessage;
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly form: URLSearchParams;
  readonly body: Readonly<Record<string, unknown>>;
  readonly authorization: string | undefined;
}

async function read(request: IncomingMessage): Promise<Incoming> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  const text = Buffer.concat(parts).toString();
  const { pathname: path, searchParams: query } = new URL(request.url ?? '/', 'http://127.0.0.1');
  const isJson = request.headers['content-type']?.includes('json') === true;
  const form = new URLSearchParams(isJson ? '' : text);
  const body = isJson && text !== '' ? (JSON.parse(text) as Record<string, unknown>) : Object.fromEntries(form);
  const { method = 'GET', headers } = request;
  return { request, method, path, query, form, body, authorization: headers.authorization };
}

function sendJson(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'Content-Type': 'application/json; charset=UTF-8' }).end(JSON.stringify(body));
}

/** Also a part of it, which a client may ask for. */
function sendBytes(request: IncomingMessage, response: ServerResponse, bytes: Buffer, contentType: string): void {
  const [, from = '', to = ''] = /^bytes=(\d*)-(\d*)$/.exec(request.headers.range ?? '') ?? [];
  if (from === '') {
    response.writeHead(200, { 'Content-Type': contentType, 'Content-Length': bytes.length }).end(bytes);
    return;
  }
  const end = to === '' ? bytes.length - 1 : Math.min(Number(to), bytes.length - 1);
  const part = bytes.subarray(Number(from), end + 1);
  const range = `bytes ${from}-${end}/${bytes.length}`;
  response.writeHead(206, { 'Content-Type': contentType, 'Content-Length': part.length, 'Content-Range': range });
  response.end(part);
}
