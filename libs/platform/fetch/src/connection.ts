import { lookup } from 'node:dns/promises';
import { once } from 'node:events';
import { request } from 'node:http';
import { connect, isIP } from 'node:net';
import type { Duplex } from 'node:stream';
import { connect as connectTls, type TLSSocket } from 'node:tls';
import { FetchFailedError } from './errors.ts';
import type { Target } from './policy.ts';
import type { Connector, Resolver } from './port.ts';

/** An address that does not answer must leave time for the next one. Milliseconds. */
const CONNECT_MS = 8_000;

/** The resolver of the system, with its hosts file. IPv4 first. */
export const systemResolver: Resolver = async (name) => {
  const found = await lookup(name, { all: true, order: 'ipv4first' });
  return found.map(({ address }) => address);
};

export const tcpConnector: Connector = async (host, port, signal) => {
  const socket = connect({ host, port });
  await connected(socket, 'connect', signal);
  return socket;
};

export interface Route {
  readonly connector: Connector;
  /** Null: direct connections. */
  readonly proxy: URL | null;
}

/**
 * Connects to the first address that accepts, with TLS where the URL asks for it. Names are not resolved again. Through a
 * proxy, a tunnel to the address is opened, so that the proxy cannot resolve the name to another address.
 */
export async function openConnection(
  target: Target,
  addresses: readonly string[],
  route: Route,
  signal: AbortSignal,
): Promise<Duplex> {
  let refusal: unknown;
  for (const address of addresses) {
    const attempt = AbortSignal.any([signal, AbortSignal.timeout(CONNECT_MS)]);
    try {
      const socket = await tunnel(address, target.port, route, attempt);
      return target.url.protocol === 'https:' ? await secure(socket, target.host, attempt) : socket;
    } catch (error) {
      if (signal.aborted) throw error;
      refusal = attempt.aborted ? new DOMException('The connection timed out', 'TimeoutError') : error;
    }
  }
  throw refusal;
}

async function tunnel(address: string, port: number, { connector, proxy }: Route, signal: AbortSignal) {
  if (proxy === null) return connector(address, port, signal);
  const proxyPort = Number(proxy.port || (proxy.protocol === 'https:' ? 443 : 80));
  const proxyHost = proxy.hostname.replace(/^\[(.*)\]$/, '$1');
  const plain = await connector(proxyHost, proxyPort, signal);
  const socket = proxy.protocol === 'https:' ? await secure(plain, proxyHost, signal) : plain;
  return connectThrough(socket, proxy, `${isIP(address) === 6 ? `[${address}]` : address}:${port}`, signal);
}

async function connectThrough(socket: Duplex, proxy: URL, authority: string, signal: AbortSignal): Promise<Duplex> {
  const credentials = `${decodeURIComponent(proxy.username)}:${decodeURIComponent(proxy.password)}`;
  const authorization = { 'Proxy-Authorization': `Basic ${Buffer.from(credentials).toString('base64')}` };
  const outgoing = request({
    method: 'CONNECT',
    path: authority,
    headers: { Host: authority, ...(proxy.username !== '' && authorization) },
    setHost: false,
    createConnection: () => socket,
    signal,
  });
  outgoing.end();
  try {
    const { promise, resolve, reject } = Promise.withResolvers<number>();
    outgoing.once('connect', ({ statusCode = 0 }, _socket, head) => {
      if (head.length > 0) socket.unshift(head);
      resolve(statusCode);
    });
    outgoing.once('response', ({ statusCode = 0 }) => resolve(statusCode));
    outgoing.on('error', reject);
    outgoing.once('close', () => reject(new FetchFailedError('The proxy of MNEME_FETCH_PROXY did not answer.')));
    const status = await promise;
    if (status >= 200 && status < 300) return socket;
    throw new FetchFailedError(`The proxy of MNEME_FETCH_PROXY refused the connection with status ${status}.`);
  } catch (error) {
    socket.destroy();
    throw error;
  }
}

/** Environment variables cannot switch off the check of the certificate. */
async function secure(socket: Duplex, host: string, signal: AbortSignal): Promise<TLSSocket> {
  const name = isIP(host) === 0 ? { servername: host.replace(/\.$/, '') } : {};
  const secured = connectTls({ socket, host, ...name, ALPNProtocols: ['http/1.1'], rejectUnauthorized: true });
  await connected(secured, 'secureConnect', signal);
  return secured;
}

async function connected(socket: Duplex, event: 'connect' | 'secureConnect', signal: AbortSignal): Promise<void> {
  // An error while nothing is read from the connection must not end the process; its reader gets the next one.
  socket.on('error', () => undefined);
  try {
    await once(socket, event, { signal });
  } catch (error) {
    socket.destroy();
    throw error;
  }
}
