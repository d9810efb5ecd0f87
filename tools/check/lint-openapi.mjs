// Lints the committed OpenAPI document; part of `npm run check`. Exits with 1 after printing each problem with its place.
import { join } from 'node:path';
import { createConfig, lint } from '@redocly/openapi-core';

const config = await createConfig({
  extends: ['recommended-strict'],
  rules: {
    // In the router static paths win over parameters.
    'no-ambiguous-paths': 'off',
    // A sign-in answers with a redirect.
    'operation-2xx-response': 'off',
    'operation-description': 'error',
    'operation-operationId': 'error',
    'operation-operationId-unique': 'error',
    'operation-operationId-url-safe': 'error',
    'operation-singular-tag': 'error',
    'operation-tag-defined': 'error',
    'parameter-description': 'error',
    'tag-description': 'error',
    'no-invalid-media-type-examples': 'error',
    'no-invalid-parameter-examples': 'error',
    'no-invalid-schema-examples': 'error',
    'no-unused-components': 'error',
    'no-duplicated-tag-names': 'error',
    'response-contains-header': { severity: 'error', names: { '2xx': ['x-request-id'], '4xx': ['x-request-id'] } },
  },
});
const document = join(import.meta.dirname, '../../apps/server/openapi.json');
const problems = await lint({ ref: document, config });
for (const { message, ruleId, severity, location } of problems) {
  console.error(`${severity} ${location[0]?.pointer ?? ''}: ${message} (${ruleId})`);
}
if (problems.length > 0) process.exit(1);
