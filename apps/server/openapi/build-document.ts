import { join } from 'node:path';
import type { Type } from '@nestjs/common';
import { MODULE_METADATA } from '@nestjs/common/constants.js';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { DocumentBuilder, type OpenAPIObject, SwaggerModule } from '@nestjs/swagger';
import { Test } from '@nestjs/testing';
import { readVersion } from '#platform/config';
import type { JsonObject } from '#platform/kernel';
import { HttpModule } from '../src/http/index.ts';
import { SECTIONS } from '../src/http/openapi/sections.ts';
import { refusalResponses } from './answers.ts';
import { FILTER_SCHEMAS } from './filter-schemas.ts';
import { HEADERS } from './headers.ts';
import { INTRODUCTION } from './introduction.ts';
import { operationsOf } from './operations.ts';
import { RequestSchemas } from './request-schemas.ts';
import { ResponseSchemas } from './response-schemas.ts';
import { readSources } from './sources.ts';

/** Where requests and answers are declared. */
const SOURCES = ['apps/server/src/http', 'libs/features', 'libs/composition/application'];

/**
 * Builds the OpenAPI document from the controllers and the request and response classes.
 * @param root folder of the project, with the TypeScript sources
 * @throws Error if a part of the API is not described
 */
export async function buildDocument(root: string): Promise<OpenAPIObject> {
  const sources = readSources(SOURCES.map((folder) => join(root, folder)));
  const schemas = { requests: new RequestSchemas(sources), responses: new ResponseSchemas(sources) };
  const controllers: readonly Type[] = Reflect.getMetadata(MODULE_METADATA.CONTROLLERS, HttpModule);
  const operations = new Map<string, JsonObject>();
  for (const controller of controllers) {
    for (const [method, operation] of operationsOf(controller, schemas)) {
      operations.set(keyOf(controller.name, method), operation);
    }
  }
  const document = await routesOf(controllers);
  document.paths = describedPaths(document.paths as unknown as Paths, operations) as never;
  const responses = refusalResponses(schemas.responses);
  const named = { ...schemas.requests.schemas, ...schemas.responses.schemas, ...FILTER_SCHEMAS };
  document.components = { ...document.components, schemas: named, responses, headers: HEADERS } as never;
  return document;
}

/** Returns a document with all routes, in which each operation has the key of its method as operation id. */
async function routesOf(controllers: readonly Type[]): Promise<OpenAPIObject> {
  const builder = new DocumentBuilder()
    .setOpenAPIVersion('3.1.0')
    .setTitle('Mneme')
    .setVersion(readVersion())
    .setDescription(INTRODUCTION)
    .setLicense('Apache-2.0', 'https://www.apache.org/licenses/LICENSE-2.0')
    .addServer('/')
    .addBearerAuth({ type: 'http', scheme: 'bearer', description: 'An API key, `sm_…`.' }, 'key')
    .addSecurityRequirements('key');
  for (const [name, description] of Object.entries(SECTIONS)) builder.addTag(name, description);
  // Mocked dependencies: the routes follow from metadata, so no handler and no engine is needed.
  const module = await Test.createTestingModule({ controllers: [...controllers] })
    .useMocker(() => ({}))
    .compile();
  const app = module.createNestApplication<NestFastifyApplication>(new FastifyAdapter(), { logger: false });
  const options = { autoTagControllers: false, operationIdFactory: keyOf };
  const document = SwaggerModule.createDocument(app, builder.build(), options);
  await app.close();
  return document;
}

const keyOf = (controller: string, method: string): string => `${controller}.${method}`;

type Paths = Readonly<Record<string, Readonly<Record<string, { readonly operationId: string }>>>>;

/** Puts the described operations into the place of the routes; in the order of the sections, then of the paths. */
function describedPaths(paths: Paths, operations: ReadonlyMap<string, JsonObject>): JsonObject {
  const sections = Object.keys(SECTIONS);
  const described = Object.entries(paths).map(([path, methods]) => {
    const items = Object.entries(methods).map(([method, { operationId }]) => {
      const operation = operations.get(operationId);
      if (operation === undefined) throw new Error(`${operationId} has no @Documented(…).`);
      return [method, operation] as const;
    });
    const [first] = items.map(([, operation]) => operation as unknown as { operationId: string; tags: string[] });
    const place = sections.indexOf(first?.tags[0] ?? '');
    // Its example erases what other examples read.
    const isLast = first?.operationId === 'resetSettings';
    return { path, place, isLast, item: Object.fromEntries(items) };
  });
  described.sort((a, b) => a.place - b.place || Number(a.isLast) - Number(b.isLast) || (a.path < b.path ? -1 : 1));
  return Object.fromEntries(described.map(({ path, item }) => [path, item]));
}
