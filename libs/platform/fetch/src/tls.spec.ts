import { once } from 'node:events';
import { createServer as createHttpServer, type Server as HttpServer } from 'node:http';
import { createServer, type Server } from 'node:https';
import { type AddressInfo, connect } from 'node:net';
import { createSecureContext, getCACertificates, setDefaultCACertificates, type TLSSocket } from 'node:tls';
import { openFetch } from '#platform/fetch';
import { type Identity, TestAuthority } from '../../../../test/support/certificates.ts';

/** Servers of names that resolve to public addresses. The connections lead to servers of the test on 127.0.0.1. */

const ADDRESS = '93.184.216.34';
const authority = new TestAuthority();
const identities: Record<string, Identity> = {
  'site.test': authority.issue({ names: ['site.test', '*.pages.test'] }),
  'expired.test': authority.issue({ names: ['expired.test'], isExpired: true }),
  'other.test': authority.issue({ names: ['site.test'] }),
  'unknown.test': new TestAuthority().issue({ names: ['unknown.test'] }),
  [ADDRESS]: authority.issue({ names: [ADDRESS] }),
};
const trusted = getCACertificates('default');
/** Names that clients asked for, and what they sent. */
const seen: string[] = [];
let secure: Server;
let plain: HttpServer;

beforeAll(async () => {
  setDefaultCACertificates([...trusted, authority.cert]);
  const identityOf = (name: string) => identities[name] ?? (identities['site.test'] as Identity);
  secure = createServer(
    { ...identityOf(ADDRESS), SNICallback: (name, use) => use(null, createSecureContext(identityOf(name))) },
    (request, response) => {
      const { servername, alpnProtocol } = request.socket as TLSSocket;
      seen.push(`${servername} ${request.headers.host} ${alpnProtocol}`);
      response.end('read');
    },
  );
  plain = createHttpServer((request, response) => {
    seen.push(`plain ${request.headers.host}`);
    response.writeHead(301, { Location: `https://${request.headers.host}/` }).end();
  });
  for (const server of [secure, plain]) {
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
  }
});
beforeEach(() => {
  seen.length = 0;
});
afterAll(() => {
  setDefaultCACertificates(trusted);
  for (const server of [secure, plain]) {
    server.closeAllConnections();
    server.close();
  }
});

function open() {
  const connected: string[] = [];
  const fetch = openFetch({
    ...{ allow: [], loopback: false, proxy: null, resolver: async () => [ADDRESS] },
    connector: async (host, port) => {
      connected.push(`${host} ${port}`);
      const server = port === 443 ? secure : plain;
      const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
      await once(socket, 'connect');
      return socket;
    },
  });
  const get = (address: string) =>
    fetch.get(address, {}, async ({ url, body }) => {
      let text = '';
      for await (const piece of body) text += Buffer.from(piece).toString();
      return { url, text };
    });
  return { connected, get };
}

test.each([
  ['https://site.test/', 'site.test site.test http/1.1'],
  ['https://a.pages.test/', 'a.pages.test a.pages.test http/1.1'],
  ['https://site.test./', 'site.test site.test. http/1.1'],
  [`https://${ADDRESS}/`, `false ${ADDRESS} http/1.1`],
])('%s: the certificate of the name is asked for, at the checked address', async (address, asked) => {
  const { connected, get } = open();
  expect(await get(address)).toMatchObject({ text: 'read' });
  expect(connected).toEqual([`${ADDRESS} 443`]);
  expect(seen).toEqual([asked]);
});

test.each([
  ['has expired', 'https://expired.test/', 'CERT_HAS_EXPIRED'],
  ['is of another name', 'https://other.test/', 'ERR_TLS_CERT_ALTNAME_INVALID'],
  ['is of a name one level above', 'https://a.b.pages.test/', 'ERR_TLS_CERT_ALTNAME_INVALID'],
  ['no known authority has signed', 'https://unknown.test/', 'UNABLE_TO_VERIFY_LEAF_SIGNATURE'],
])('a certificate that %s fails the fetch, and nothing is sent', async (_, address, code) => {
  const failure = { code: 'fetch_failed', isTemporary: false, message: expect.stringContaining(code) };
  await expect(open().get(address)).rejects.toMatchObject(failure);
  expect(seen).toEqual([]);
});

test('the environment cannot switch the check off', async () => {
  process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0';
  try {
    await expect(open().get('https://expired.test/')).rejects.toMatchObject({ code: 'fetch_failed' });
  } finally {
    delete process.env.NODE_TLS_REJECT_UNAUTHORIZED;
  }
});

test('a redirect from http to https is followed', async () => {
  const { connected, get } = open();
  expect(await get('http://site.test/')).toEqual({ url: 'https://site.test/', text: 'read' });
  expect(connected).toEqual([`${ADDRESS} 80`, `${ADDRESS} 443`]);
  expect(seen).toEqual(['plain site.test', 'site.test site.test http/1.1']);
});

test('a server that does not speak TLS fails the fetch', async () => {
  const { port } = plain.address() as AddressInfo;
  const fetch = openFetch({ allow: [], loopback: true, proxy: null });
  const failure = { code: 'fetch_failed', isTemporary: false };
  await expect(fetch.get(`https://127.0.0.1:${port}/`, {}, async () => 'read')).rejects.toMatchObject(failure);
});
