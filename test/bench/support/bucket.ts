import { once } from 'node:events';
import { createServer } from 'node:http';
import { listen } from '../../support/listen.ts';

const NAME = 'bench';
const PAGE = 1_000;

/** A bucket that answers lists of 1,000 keys and gives out its objects, to every key. */
export async function startBucket(objects: ReadonlyMap<string, string>) {
  const keys = [...objects.keys()].sort();
  const contents = keys.map((key) => contentOf(key, objects.get(key) ?? ''));
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://bucket');
    if (searchParams.has('list-type')) {
      const from = Number(searchParams.get('continuation-token') ?? 0);
      response.setHeader('content-type', 'application/xml').end(page(contents, from));
      return;
    }
    const text = objects.get(decodeURIComponent(pathname.slice(NAME.length + 2)));
    response.writeHead(text === undefined ? 404 : 200, { 'content-type': 'text/plain' }).end(text);
  });
  const endpoint = `http://127.0.0.1:${await listen(server)}`;
  return {
    metadata: { accessKeyId: 'key', secretAccessKey: 'secret', bucket: NAME, endpoint },
    async stop() {
      server.closeAllConnections();
      await once(server.close(), 'close');
    },
  };
}

function page(contents: readonly string[], from: number): string {
  const next = from + PAGE;
  const more = next < contents.length ? `<NextContinuationToken>${next}</NextContinuationToken>` : '';
  const listed = contents.slice(from, next);
  return `<?xml version="1.0" encoding="UTF-8"?><ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><Name>${NAME}</Name><Prefix></Prefix><KeyCount>${listed.length}</KeyCount><MaxKeys>${PAGE}</MaxKeys><IsTruncated>${more !== ''}</IsTruncated>${more}${listed.join('')}</ListBucketResult>`;
}

const contentOf = (key: string, text: string): string =>
  `<Contents><Key>${key}</Key><LastModified>2026-01-01T00:00:00.000Z</LastModified><ETag>&quot;${key.length}-${text.length}&quot;</ETag><Size>${text.length}</Size><StorageClass>STANDARD</StorageClass></Contents>`;
