import { join } from 'node:path';
import type { Type } from '@nestjs/common';
import { MODULE_METADATA } from '@nestjs/common/constants.js';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { DocumentBuilder, type OpenAPIObject, SwaggerModule } from '@nestjs/swagger';
import { Test } from '@nestjs/testing';
import { readVersion } from '#config';
import { HttpModule } from '../src/http/index.ts';
import { describeRoutes } from './describe-routes.ts';
import { FILTER_SCHEMAS } from './filter-schemas.ts';
import { RequestSchemas } from './request-schemas.ts';
import { ResponseSchemas } from './response-schemas.ts';
import { readSources } from './sources.ts';

/**
 * Builds the OpenAPI document from the controllers and the request and response classes.
 * @param root folder of the project, with the TypeScript sources
 */
export async function buildDocument(root: string): Promise<OpenAPIObject> {
  const sources = readSources(join(root, 'apps/server/src/http'));
  const schemas = { requests: new RequestSchemas(sources), responses: new ResponseSchemas(sources) };
  const controllers: readonly Type[] = Reflect.getMetadata(MODULE_METADATA.CONTROLLERS, HttpModule);
  for (const controller of controllers) describeRoutes(controller, schemas);

  const description = new DocumentBuilder()
    .setOpenAPIVersion('3.1.0')
    .setTitle('mneme')
    .setVersion(readVersion())
    .setDescription('Content ingestion, memory and search.')
    .addServer('/')
    .addBearerAuth({ type: 'http', scheme: 'bearer', description: 'An API key, `sm_…`.' }, 'key')
    .addSecurityRequirements('key')
    .build();
  // Mocked dependencies: the routes follow from metadata, so no handler and no engine is needed.
  const module = await Test.createTestingModule({ controllers: [...controllers] })
    .useMocker(() => ({}))
    .compile();
  const app = module.createNestApplication<NestFastifyApplication>(new FastifyAdapter(), { logger: false });
  const document = SwaggerModule.createDocument(app, description, { autoTagControllers: false, operationIdFactory });
  await app.close();
  const components = { ...schemas.requests.schemas, ...schemas.responses.schemas, ...FILTER_SCHEMAS };
  document.components = { ...document.components, schemas: components as never };
  return document;
}

/** `DocumentsController.add` becomes `documents_add`. */
const operationIdFactory = (controller: string, method: string): string =>
  `${controller.replace(/Controller$/, '').toLowerCase()}_${method}`;
