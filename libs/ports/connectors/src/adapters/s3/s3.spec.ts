import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { JsonObject } from '#platform/kernel';
import type { Source } from '../../connector.ts';
import { toolsFor } from '../../testing/connector-tools.ts';
import { idsOf, listAll, readItem } from '../../testing/read-source.ts';
import { s3 } from './s3.ts';
import { bucketAddress, type S3Setup } from './setup.ts';

let server: Server;
let endpoint: string;
let answer: (request: IncomingMessage, response: ServerResponse) => void;
beforeAll(async () => {
  server = createServer((request, response) => answer(request, response));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

const connector = () => s3(toolsFor({}));
const metadata = (more: JsonObject = {}): JsonObject => ({
  ...{ accessKeyId: 'AKID', secretAccessKey: 'secret', bucket: 'docs', endpoint, ...more },
});
const open = async (more: JsonObject = {}): Promise<Source> => {
  const read = connector().readSetup(metadata(more), 'o1');
  if (!read.ok) throw new Error(read.error.message);
  const { setup, secrets } = read.value;
  return connector().open({
    ...{ connection: 'c1', organization: 'o1', setup },
    secrets: { get: async (name) => secrets[name] ?? null, put: async () => undefined },
  });
};

const entry = (key: string, etag = '&#34;e1&#34;') =>
  `<Contents><Key>${key}</Key><LastModified>2026-01-02T03:04:05.000Z</LastModified><ETag>${etag}</ETag><Size>3</Size></Contents>`;
const listing = (entries: readonly string[], token?: string) =>
  `<?xml version="1.0"?><ListBucketResult><Name>docs</Name><IsTruncated>${token !== undefined}</IsTruncated>${
    token === undefined ? '' : `<NextContinuationToken>${token}</NextContinuationToken>`
  }${entries.join('')}</ListBucketResult>`;

test('objects are listed with what describes them, a thousand a page, by signed requests', async () => {
  const seen: string[] = [];
  answer = ({ url = '', headers }, response) => {
    seen.push(`${url} ${headers.authorization?.slice(0, 40)}`);
    response.end(
      url.includes('continuation-token=it%27s%20%281%29')
        ? listing([entry('b.md')])
        : listing([entry('a/c.md')], 'it&#39;s (1)'),
    );
  };
  const listed = await listAll(await open());
  expect(listed).toMatchObject({ pages: 1, ends: { listing: 'complete' } });
  expect(listed.items[0]).toEqual({
    ...{ id: 'a/c.md', version: 'e1', path: '/a/c.md', title: 'c.md', size: 3, updatedAt: '2026-01-02T03:04:05.000Z' },
    ...{ contentType: null, link: null, owner: null, createdAt: null },
  });
  expect(seen).toEqual([
    expect.stringMatching(/^\/docs\/\?list-type=2&max-keys=1000 AWS4-HMAC-SHA256 Credential=AKID\//),
    expect.stringContaining('continuation-token=it%27s%20%281%29'),
  ]);
});

test('keys are as they are, whatever is in them, and folders of consoles are none', async () => {
  const keys = [
    'it&#39;s &#34;a&#34; &lt;b&gt; &amp;amp;.md',
    ' spaces ',
    'tab&#x9;.md',
    '100%25.md',
    'ä+ö.md',
    'sub/',
  ];
  answer = (_, response) => response.end(listing(keys.map((key) => entry(key))));
  expect(idsOf(await listAll(await open()))).toEqual(
    ['it\'s "a" <b> &amp;.md', ' spaces ', 'tab\t.md', '100%25.md', 'ä+ö.md'].sort(),
  );
});

test('a prefix is one of texts, and a store without ETags is one of sizes and times', async () => {
  let asked = '';
  answer = ({ url = '' }, response) => {
    asked = url;
    response.end(listing([entry('it', ''), entry("it's/a.md", ''), entry('its/b.md', '')]));
  };
  const { items } = await listAll(await open({ prefix: "it's/" }));
  expect(items).toMatchObject([{ id: "it's/a.md", version: '3-2026-01-02T03:04:05.000Z' }]);
  expect(asked).toContain('&prefix=it%27s%2F');
});

test('content is read as it is, and what is gone, refused or not addressable is of one item', async () => {
  answer = ({ url }, response) => {
    if (url === '/docs/a%20%27b%27.md') response.setHeader('Content-Type', 'text/markdown').end('one');
    else if (url === '/docs/frozen') {
      response
        .writeHead(403, { 'Content-Type': 'application/xml' })
        .end('<Error><Code>InvalidObjectState</Code></Error>');
    } else response.writeHead(404).end();
  };
  const source = await open();
  const item = (id: string) => ({
    ...{ id, version: '1', path: `/${id}`, title: id, size: null, contentType: null, link: null, owner: null },
    ...{ createdAt: null, updatedAt: null },
  });
  expect(await readItem(source, item("a 'b'.md"))).toBe('one');
  for (const id of ['gone.md', 'frozen', '../other/a.md', 'a/../b', '/a', './a']) {
    await expect(readItem(source, item(id))).rejects.toMatchObject({ code: 'item_unreadable' });
  }
});

test.each([
  [404, 'NoSuchBucket', 'no such bucket'],
  [403, 'InvalidAccessKeyId', 'does not know the accessKeyId'],
  [403, 'SignatureDoesNotMatch', 'the secretAccessKey is not the one'],
  [403, 'AccessDenied', 's3:ListBucket'],
  [301, 'PermanentRedirect', 'in another region'],
  [400, 'AuthorizationHeaderMalformed', 'in another region'],
  [400, 'Strange', 'status 400 (Strange)'],
])('a store that answers %i %s is lost', async (status, code, reason) => {
  answer = (_, response) =>
    response
      .writeHead(status, { 'Content-Type': 'application/xml', Location: 'http://127.0.0.1:9/' })
      .end(`<Error><Code>${code}</Code><Message>secret</Message></Error>`);
  const listed = listAll(await open());
  await expect(listed).rejects.toMatchObject({ code: 'source_lost', message: expect.stringContaining(reason) });
});

test('a store that asks for a pause is busy', async () => {
  answer = (_, response) => response.writeHead(503, { 'Retry-After': '3' }).end('<Error><Code>SlowDown</Code></Error>');
  await expect(listAll(await open())).rejects.toMatchObject({ code: 'source_busy', retryAfter: 3_000 });
});

test('a private endpoint that the operator has not opened is refused', async () => {
  const guarded = s3(toolsFor({ MNEME_FETCH_LOOPBACK: 'off' }));
  const read = guarded.readSetup(metadata(), 'o1');
  if (!read.ok) throw new Error(read.error.message);
  const { setup, secrets } = read.value;
  const source = await guarded.open({
    ...{ connection: 'c1', organization: 'o1', setup },
    secrets: { get: async (name) => secrets[name] ?? null, put: async () => undefined },
  });
  await expect(listAll(source)).rejects.toMatchObject({ code: 'fetch_refused' });
});

describe('a setup', () => {
  const read = (more: JsonObject) => connector().readSetup(metadata(more), 'o1');

  test('keeps the secret apart', () => {
    expect(read({ prefix: 'a/' })).toEqual({
      ok: true,
      value: {
        setup: {
          ...{ accessKeyId: 'AKID', bucket: 'docs', region: 'us-east-1', endpoint, prefix: 'a/', pathStyle: true },
        },
        secrets: { secretAccessKey: 'secret' },
      },
    });
  });

  test.each([
    ['accessKeyId', ''],
    ['secretAccessKey', null],
    ['bucket', 'a/b'],
    ['bucket', 'a..b'],
    ['bucket', 'a@b'],
    ['region', 'eu/west'],
    ['endpoint', 'ftp://s3.example.com'],
    ['endpoint', 'https://user:secret@s3.example.com'],
    ['prefix', 5],
    ['pathStyle', 'yes'],
  ])('with the %s %j is refused', (field, value) => {
    expect(read({ [field]: value })).toMatchObject({ ok: false, error: { field } });
  });

  test('needs a region at Amazon, and leads to its address', () => {
    expect(read({ endpoint: null })).toMatchObject({ error: { field: 'region' } });
    const address = (more: JsonObject) => {
      const result = read({ region: 'eu-central-1', ...more });
      if (!result.ok) throw new Error(result.error.message);
      return bucketAddress(result.value.setup as S3Setup).href;
    };
    expect(address({ endpoint: null })).toBe('https://docs.s3.eu-central-1.amazonaws.com/');
    expect(address({ endpoint: null, bucket: 'my.docs' })).toBe('https://s3.eu-central-1.amazonaws.com/my.docs');
    expect(address({ endpoint: 'https://minio.lan:9000/' })).toBe('https://minio.lan:9000/docs');
    expect(address({ endpoint: 'https://oss.example.com', pathStyle: false })).toBe('https://docs.oss.example.com/');
  });
});
