import { useTestApp } from '../testing/use-test-app.ts';

const http = useTestApp();

describe('OpenAPI', () => {
  test('the document lists every route with its permission', async () => {
    const { body: document } = await http.call('GET', '/v3/openapi');
    const routes = Object.entries<Record<string, { 'x-permission': string | null }>>(document.paths).flatMap(
      ([path, methods]) =>
        Object.entries(methods).map(([method, route]) => `${method.toUpperCase()} ${path} ${route['x-permission']}`),
    );
    expect(routes.sort()).toEqual([
      'DELETE /v3/container-tags/{tag} admin',
      'DELETE /v3/documents/bulk write',
      'DELETE /v3/documents/{id} write',
      'DELETE /v3/projects/{id} admin',
      'GET / null',
      'GET /v3/container-tags/list read',
      'GET /v3/container-tags/merge/{mergeId} admin',
      'GET /v3/container-tags/{tag} read',
      'GET /v3/container-tags/{tag}/profile read',
      'GET /v3/docs null',
      'GET /v3/docs/{asset} null',
      'GET /v3/documents/processing read',
      'GET /v3/documents/{id} read',
      'GET /v3/documents/{id}/chunks read',
      'GET /v3/documents/{id}/events read',
      'GET /v3/documents/{id}/file-url read',
      'GET /v3/events read',
      'GET /v3/files/{token} null',
      'GET /v3/health null',
      'GET /v3/openapi null',
      'GET /v3/projects full',
      'GET /v3/session read',
      'GET /v3/settings full',
      'PATCH /v3/container-tags/{tag} full',
      'PATCH /v3/documents/{id} write',
      'PATCH /v3/settings admin',
      'POST /v3/container-tags/merge admin',
      'POST /v3/documents write',
      'POST /v3/documents/batch write',
      'POST /v3/documents/documents read',
      'POST /v3/documents/documents/by-ids read',
      'POST /v3/documents/documents/facets read',
      'POST /v3/documents/file write',
      'POST /v3/documents/list read',
      'POST /v3/documents/{id}/retry write',
      'POST /v3/projects full',
      'POST /v3/search read',
      'POST /v3/settings/reset admin',
      'POST /v3/settings/suggest-buckets admin',
      'POST /v4/conversations write',
      'POST /v4/profile read',
      'POST /v4/search read',
    ]);
    const add = document.paths['/v3/documents'].post;
    expect(Object.keys(add.responses)).toEqual(['200', '400', '401', '403', '409', '413', '429', '500', '503']);
    expect(document.components.schemas.AddDocumentBody).toMatchObject({
      required: ['content'],
      properties: { customId: { type: 'string', minLength: 1, maxLength: 255 } },
    });
  });

  test('every reference in the served document resolves', async () => {
    const { text, body } = await http.call('GET', '/v3/openapi');
    const names = [...text.matchAll(/"#\/components\/schemas\/(\w+)"/g)].map(([, name]) => name as string);
    expect(names.length).toBeGreaterThan(0);
    for (const name of names) expect(body.components.schemas).toHaveProperty(name);
  });

  test('the page loads its files from this server; no other file of the package is served', async () => {
    const page = await http.call('GET', '/v3/docs');
    expect(page.headers['content-type']).toBe('text/html; charset=utf-8');
    expect(page.text).not.toMatch(/https?:/);
    for (const [, url] of page.text.matchAll(/(?:src|href)="([^"]+)"/g)) {
      expect((await http.call('GET', `/v3/${url}`)).status).toBe(200);
    }
    for (const name of ['package.json', 'index.html', '..%2Fpackage.json', 'constructor']) {
      expect((await http.call('GET', `/v3/docs/${name}`)).status).toBe(404);
    }
  });
});
