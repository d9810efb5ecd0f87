import { readFileSync } from 'node:fs';
import { findPackageJSON } from 'node:module';
import { dirname, join } from 'node:path';
import type { OpenAPIObject } from '@nestjs/swagger';
import { OpenApi } from '../../../test/support/openapi.ts';
import { buildDocument } from './build-document.ts';

const root = dirname(findPackageJSON('.', import.meta.url) as string);
let document: OpenAPIObject;

beforeAll(async () => {
  document = await buildDocument(root);
});

test('the committed document is current; otherwise run `npm run openapi`', () => {
  const committed = readFileSync(join(root, 'apps/server/openapi.json'), 'utf8');
  expect(JSON.parse(committed)).toEqual(JSON.parse(JSON.stringify(document)));
});

test('every reference resolves to a schema, and every schema is referenced', () => {
  const text = JSON.stringify(document);
  const names = [...text.matchAll(/"#\/components\/schemas\/(\w+)"/g)].map(([, name]) => name);
  const schemas = Object.keys(document.components?.schemas ?? {});
  expect([...new Set(names)].sort()).toEqual(schemas.sort());
});

test('every example satisfies its schema and names known fields only', () => {
  const api = new OpenApi(JSON.parse(JSON.stringify(document)));
  for (const { method, path, operation, body, form, name } of api.examples) {
    const [mediaType] = Object.keys(operation.requestBody?.content ?? {});
    if (mediaType === undefined) continue;
    const pointer = ['paths', path, method.toLowerCase(), 'requestBody', 'content', mediaType, 'schema'];
    const value = form === null ? body : { ...form, file: '' };
    expect([operation.operationId, name, api.complaints(pointer, value)]).toEqual([operation.operationId, name, []]);
  }
});

test('every operation with a body can be refused because the body is too large, and no other can', () => {
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods as Record<string, { requestBody?: object; responses: object }>).map(
      ([method, { requestBody, responses }]) =>
        [`${method} ${path}`, requestBody !== undefined, '413' in responses] as const,
    ),
  );
  expect(operations.filter(([, takesBody]) => takesBody).length).toBeGreaterThan(10);
  expect(operations.filter(([, takesBody, isRefused]) => takesBody !== isRefused)).toEqual([]);
});

test('routes state the parameters that their decorators read', () => {
  const parameters = (path: string, method: 'get' | 'post') =>
    (document.paths[path]?.[method]?.parameters ?? []).map((one) => ('name' in one ? `${one.in} ${one.name}` : one));
  expect(parameters('/v3/documents/{id}', 'get')).toEqual([
    ...['path id', 'query containerTag', 'query asOf', 'header x-sm-status', 'query status'],
  ]);
  expect(parameters('/v3/documents', 'post')).toEqual([
    'header Idempotency-Key',
    'header x-stainless-retry-count',
    'header x-sm-status',
    'query status',
  ]);
  expect(parameters('/v3/events', 'get')).toEqual([
    'query after',
    'query types',
    'query containerTag',
    'header Last-Event-ID',
  ]);
});

test('a schema states rules, defaults and doc comments of the fields', () => {
  expect(document.components?.schemas).toMatchObject({
    AddDocumentInput: {
      required: ['content'],
      properties: {
        content: { type: 'string', pattern: '\\S', description: expect.stringMatching(/^Any text/) },
        customId: { type: 'string', minLength: 1, maxLength: 255, description: expect.any(String) },
        taskType: { type: 'string', enum: ['memory', 'superrag'], default: 'memory' },
      },
    },
    SearchMemoriesInput: {
      required: ['q'],
      properties: {
        limit: { type: 'integer', minimum: 1, maximum: 100, default: 10 },
        include: { $ref: '#/components/schemas/MemorySearchInclude' },
      },
    },
    DocumentRecord: {
      required: expect.arrayContaining(['id', 'processingError']),
      properties: {
        status: { type: 'string', enum: expect.arrayContaining(['queued', 'processing', 'done', 'failed']) },
        title: { type: ['string', 'null'] },
        createdAt: { type: 'string', format: 'date-time' },
      },
    },
  });
});
