import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer as createProxy } from 'node:http';
import { createServer } from 'node:https';
import { type AddressInfo, connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { TestAuthority } from './certificates.ts';
import type { Answer } from './site.ts';

/**
 * Stand-ins for sites of the web that are known by their names, on 127.0.0.1, behind a proxy that leads port 443 to them and
 * other ports where they are.
 */
export async function openStandIns(names: readonly string[]) {
  /** By host and path with query. What has none is not found. */
  const answers: Record<string, Answer> = {};
  const authority = new TestAuthority();
  const folder = await mkdtemp(join(tmpdir(), 'mneme-stand-ins-'));
  const trusted = join(folder, 'authority.pem');
  await writeFile(trusted, authority.cert);
  const sites = createServer(authority.issue({ names }), (request, response) => {
    const answer = answers[`${request.headers.host}${request.url}`];
    if (answer === undefined) response.writeHead(404).end('not found');
    else answer(request, response);
  });
  const proxy = createProxy();
  proxy.on('connect', ({ url = '' }, socket) => {
    const [, port] = url.split(':');
    const there = connect(port === '443' ? (sites.address() as AddressInfo).port : Number(port), '127.0.0.1');
    const end = () => {
      socket.destroy();
      there.destroy();
    };
    for (const one of [socket, there]) one.on('error', end).on('close', end);
    there.once('connect', () => {
      socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
      socket.pipe(there).pipe(socket);
    });
  });
  for (const server of [sites, proxy]) {
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
  }
  return {
    answers,
    /** Of a server that reaches the stand-ins by their names. */
    settings: {
      MNEME_FETCH_LOOPBACK: 'on',
      MNEME_FETCH_PROXY: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`,
      NODE_EXTRA_CA_CERTS: trusted,
      NODE_OPTIONS: `--import=${new URL('local-names.ts', import.meta.url).href}`,
    },
    close: async () => {
      for (const server of [sites, proxy]) {
        server.closeAllConnections();
        server.close();
      }
      await rm(folder, { recursive: true, force: true });
    },
  };
}
