import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { fullFormats } from 'ajv-formats/dist/formats.js';

type Fields = Readonly<Record<string, unknown>>;

interface MediaType {
  readonly schema: Fields;
  readonly examples?: Readonly<Record<string, { readonly value: Fields }>>;
}

interface Response {
  readonly headers?: Readonly<Record<string, { readonly $ref?: string; readonly required?: boolean }>>;
  readonly content?: Readonly<Record<string, MediaType>>;
  readonly links?: Readonly<Record<string, { readonly parameters: Readonly<Record<string, string>> }>>;
}

interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly example?: unknown;
}

export interface Operation {
  readonly operationId: string;
  readonly description: string;
  readonly 'x-permission': string | null;
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly content: Readonly<Record<string, MediaType>> };
  readonly responses: Readonly<Record<string, Response & { readonly $ref?: string }>>;
}

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, Fields>>;
    readonly responses: Readonly<Record<string, Response>>;
    readonly headers: Readonly<Record<string, { readonly required?: boolean }>>;
  };
}

/** A request that the document shows. */
export interface Example {
  readonly operation: Operation;
  readonly method: string;
  /** As in the document, e.g. `/v3/documents/{id}`. */
  readonly path: string;
  readonly parameters: readonly Parameter[];
  /** Key of the example of the body. Null: the operation has no JSON body. */
  readonly name: string | null;
  readonly body: Fields | null;
  /** Text parts of a form. Null: the operation takes no form. */
  readonly form: Fields | null;
}

const HEADERS_OF_TRANSPORT = [
  'connection',
  'content-length',
  'content-type',
  'date',
  'keep-alive',
  'transfer-encoding',
];

/** The committed OpenAPI document. */
export class OpenApi {
  readonly document: Document;
  readonly #ajv = new Ajv2020({ strict: false, allErrors: true });

  static read(): OpenApi {
    const file = join(resolve(import.meta.dirname, '../..'), 'apps/server/openapi.json');
    return new OpenApi(JSON.parse(readFileSync(file, 'utf8')));
  }

  constructor(document: object) {
    this.document = document as Document;
    this.#ajv.addFormat('date-time', fullFormats['date-time']);
    this.#ajv.addFormat('binary', true);
    this.#ajv.addSchema(closed(document) as object, 'openapi');
  }

  get operations(): readonly { readonly method: string; readonly path: string; readonly operation: Operation }[] {
    return Object.entries(this.document.paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
    );
  }

  /** All examples in the order of the document; an operation without a body has one. */
  get examples(): readonly Example[] {
    return this.operations.flatMap(({ method, path, operation }): readonly Example[] => {
      const { parameters = [], requestBody } = operation;
      const common = { operation, method, path, parameters };
      const json = requestBody?.content['application/json'];
      const form = requestBody?.content['multipart/form-data'];
      if (json !== undefined) {
        return Object.entries(json.examples ?? {}).map(([name, { value }]) => ({
          ...{ ...common, name, body: value, form: null },
        }));
      }
      return [{ ...common, name: null, body: null, form: form === undefined ? null : this.#formExample(form.schema) }];
    });
  }

  /** Returns what is wrong with a request body, form or response body. */
  complaints(pointer: readonly string[], value: unknown): readonly string[] {
    const path = pointer.map((part) => encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1'))).join('/');
    const validate = this.#ajv.compile({ $ref: `openapi#/${path}` });
    validate(value);
    return (validate.errors ?? []).map(
      ({ instancePath, message, params }) => `${instancePath} ${message} ${JSON.stringify(params)}`,
    );
  }

  /** Returns how a response differs from what the document states. */
  differences(
    { method, path, operation }: Pick<Example, 'method' | 'path' | 'operation'>,
    { status, headers, body }: { readonly status: number; readonly headers: Headers; readonly body: unknown },
  ): readonly string[] {
    const stated = operation.responses[status];
    if (stated === undefined) return [`the status ${status} is not documented`];
    const shared = stated.$ref?.split('/').at(-1);
    const response = shared === undefined ? stated : (this.document.components.responses[shared] as Response);
    const pointer =
      shared === undefined
        ? ['paths', path, method.toLowerCase(), 'responses', String(status)]
        : ['components', 'responses', shared];
    const documented = Object.entries(response.headers ?? {});
    const missing = documented.filter(
      ([name, { $ref, required }]) =>
        (($ref && this.document.components.headers[name]?.required) || required) && !headers.has(name),
    );
    const known = [...HEADERS_OF_TRANSPORT, ...documented.map(([name]) => name)];
    const unknown = [...headers.keys()].filter((name) => !known.includes(name));
    return [
      ...missing.map(([name]) => `the header ${name} is missing`),
      ...unknown.map((name) => `the header ${name} is not documented`),
      ...this.#bodyDifferences(response, pointer, headers.get('content-type'), body),
    ];
  }

  #bodyDifferences(
    { content }: Response,
    pointer: readonly string[],
    contentType: string | null,
    body: unknown,
  ): readonly string[] {
    if (content === undefined) return body === '' ? [] : ['there is a body'];
    const [mediaType] = Object.keys(content) as [string];
    if (mediaType !== '*/*' && contentType?.split(';')[0] !== mediaType) return [`the content type is ${contentType}`];
    return this.complaints([...pointer, 'content', mediaType, 'schema'], body);
  }

  #formExample({ $ref }: Fields): Fields {
    const { properties } = this.document.components.schemas[($ref as string).split('/').at(-1) as string] as {
      properties: Readonly<Record<string, { readonly examples?: readonly unknown[] }>>;
    };
    const shown = Object.entries(properties).flatMap(([name, { examples }]) => (examples ? [[name, examples[0]]] : []));
    return Object.fromEntries(shown);
  }
}

/** Forbids fields that a schema does not name, so that a response with an undocumented field is found. */
function closed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(closed);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([key, inner]) => [key, closed(inner)] as const);
  const isObject = 'properties' in value && !('additionalProperties' in value);
  return { ...Object.fromEntries(entries), ...(isObject && { additionalProperties: false }) };
}
