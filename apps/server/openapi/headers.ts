import type { JsonObject } from '#platform/kernel';

/** Response headers of this API by name; `required` means that a response with the header's reference always has it. */
export const HEADERS: Readonly<Record<string, JsonObject>> = {
  'x-request-id': {
    description:
      "Id of the request, for the log. The request's own `x-request-id`, if that has 1 to 128 letters, digits and `_.:/+=@-`.",
    required: true,
    schema: { type: 'string' },
  },
  'cache-control': {
    description: 'Always `no-store`.',
    required: true,
    schema: { type: 'string', enum: ['no-store'] },
  },
  'x-ratelimit-limit': {
    description: 'Requests of the key in a window. Absent if the server has no rate limit.',
    schema: { type: 'integer', minimum: 1 },
  },
  'x-ratelimit-remaining': {
    description: 'Requests that are left in the present window. Absent if the server has no rate limit.',
    schema: { type: 'integer', minimum: 0 },
  },
  'x-ratelimit-reset': {
    description: 'End of the present window. Seconds since 1970. Absent if the server has no rate limit.',
    schema: { type: 'integer', minimum: 0 },
  },
  'retry-after': {
    description: 'When to send the request again. Seconds.',
    required: true,
    schema: { type: 'integer', minimum: 1, maximum: 60 },
  },
  'x-should-retry': {
    description: '`false`: the same request fails again.',
    schema: { type: 'string', enum: ['false'] },
  },
  'www-authenticate': {
    description: 'Always `Bearer`.',
    required: true,
    schema: { type: 'string', enum: ['Bearer'] },
  },
};

export const HEADERS_OF_ALL = ['x-request-id', 'cache-control'];
export const HEADERS_WITH_KEY = ['x-ratelimit-limit', 'x-ratelimit-remaining', 'x-ratelimit-reset'];

export const headerReferences = (names: readonly string[]): JsonObject =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
