import type { Type } from '@nestjs/common';
import { RouteParamtypes } from '@nestjs/common/enums/route-paramtypes.enum.js';
import { examplesOf, type InputClass } from '#platform/input';
import type { JsonObject } from '#platform/kernel';
import { declarationOf } from '../src/http/access/route-config.ts';
import { docsOf, type RouteDocs } from '../src/http/openapi/documented.ts';
import { sectionOf } from '../src/http/openapi/sections.ts';
import { responsesOf } from './answers.ts';
import { RouteParameters } from './parameters.ts';
import type { RequestSchemas } from './request-schemas.ts';
import type { ResponseSchemas } from './response-schemas.ts';

export interface Schemas {
  readonly requests: RequestSchemas;
  readonly responses: ResponseSchemas;
}

/** Returns the operations of a controller by the name of its method, from what the controller declares at run time. */
export function operationsOf(controller: Type, schemas: Schemas): ReadonlyMap<string, JsonObject> {
  const section = sectionOf(controller);
  if (section === undefined) throw new Error(`${controller.name} has no @InSection(…).`);
  const { prototype } = controller;
  const operations = Object.getOwnPropertyNames(prototype).flatMap((method) => {
    const docs = docsOf(prototype[method]);
    if (docs === undefined) return [];
    return [[method, { tags: [section], ...operation(controller, method, docs, schemas) }] as const];
  });
  return new Map(operations);
}

const JSON_TYPE = 'application/json';
const FORM = 'application/x-www-form-urlencoded';

function operation(controller: Type, method: string, docs: RouteDocs, { requests, responses }: Schemas): JsonObject {
  const { access = 'public', isForm = false } = declarationOf(controller.prototype[method]) ?? {};
  const isPublic = access === 'public';
  const parameters = new RouteParameters(controller, method);
  const described = parameters.describe(docs, requests);
  const body = parameters.typeOf(RouteParamtypes.BODY);
  const needs = isPublic ? 'Needs no key.' : `Permission of the key: \`${access}\`.`;
  return {
    operationId: docs.id,
    summary: docs.summary,
    description: `${docs.description}\n\n${needs}`,
    ...(isPublic ? { security: [] } : {}),
    'x-permission': isPublic ? null : access,
    ...(described.length > 0 ? { parameters: described } : {}),
    ...(body === null ? {} : { requestBody: namedBody(body, isForm ? [JSON_TYPE, FORM] : [JSON_TYPE], requests) }),
    ...(docs.form === undefined ? {} : { requestBody: form(docs.form, requests) }),
    responses: responsesOf(docs, { isPublic, takesBody: body !== null || docs.form !== undefined }, responses),
  };
}

function namedBody(type: InputClass, mediaTypes: readonly string[], requests: RequestSchemas): JsonObject {
  const named = Object.entries(examplesOf(type));
  if (named.length === 0) throw new Error(`${type.name} has no @ShownBy(…).`);
  const examples = Object.fromEntries(named.map(([summary, value]) => [keyOf(summary), { summary, value }]));
  const body = { schema: requests.reference(type), examples };
  return { required: true, content: Object.fromEntries(mediaTypes.map((mediaType) => [mediaType, body])) };
}

/** `A whole conversation` becomes `a-whole-conversation`. */
const keyOf = (summary: string): string =>
  summary
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-|-$/g, '');

/** The page shows a form only for properties of the schema itself, each with its own example. */
function form(type: InputClass, requests: RequestSchemas): JsonObject {
  const [example = {}] = Object.values(examplesOf(type));
  const file = { type: 'string', format: 'binary', description: 'The file, at most 50 MB.' };
  return {
    required: true,
    content: { 'multipart/form-data': { schema: requests.form(type, example, { file }) } },
  };
}
