import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export type Answer = (request: IncomingMessage, response: ServerResponse) => void;

/** A stand-in for a site of the web, on a free port of 127.0.0.1. */
export async function openSite(pages: Record<string, Answer>) {
  /** Paths that were asked for, without robots.txt. */
  const asked: string[] = [];
  const server = createServer((request, response) => {
    const { url: path = '/' } = request;
    if (path !== '/robots.txt') asked.push(path);
    const answer = pages[path];
    if (answer === undefined) response.writeHead(404).end('not found');
    else answer(request, response);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    asked,
    pages,
    url: (path: string) => `http://127.0.0.1:${port}${path}`,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

/** Answers with a page. */
export const page =
  (html: string | Buffer, headers: Record<string, string> = {}): Answer =>
  (_request, response) =>
    response.writeHead(200, { 'Content-Type': 'text/html; charset=utf-8', ...headers }).end(html);

const MENU = '<nav><a href="/">Home</a> <a href="/shop">Basket of offers</a></nav>';

/** An article of some paragraphs between a menu and a footer. */
export const article = (sentence: string, head = ''): string => `<!doctype html><html lang="en"><head>
<title>Site name | Harbour news</title>${head}</head><body>${MENU}<main><article><h1>The harbour crane</h1>
<p>${sentence} It was built by the shipwrights of the upper town, who had never made one of this size before.</p>
<p>The crane lifts forty barrels in an hour, and two men walk in its wheel from the morning until the evening bell.</p>
<p>Visitors may climb the ladder on Sundays, provided that the wind is weak and that the keeper has found his keys.</p>
</article></main><footer>Imprint and cookie settings</footer></body></html>`;
