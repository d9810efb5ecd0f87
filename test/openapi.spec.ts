import { ExampleRun, formOf, keyFor, WITH_MORE, WITHOUT_SITES } from './support/example-run.ts';
import { Mneme, OWNER_KEY } from './support/mneme.ts';
import { type Example, OpenApi } from './support/openapi.ts';

/** Every example of the OpenAPI document, sent in its order to a new server. */

const api = OpenApi.read();
let mneme: Mneme;
beforeAll(async () => {
  mneme = await Mneme.start({ env: { MNEME_RATE_LIMIT: '100000/60', ...WITHOUT_SITES } });
});
afterAll(() => mneme.stop());

async function send(run: ExampleRun, example: Example) {
  const { operation, method } = example;
  const body = run.bodyOf(example);
  const isPublic = operation.description.endsWith('Needs no key.');
  const form = formOf(example);
  const response = await fetch(`${mneme.url}${run.urlOf(example)}`, {
    method,
    headers: {
      ...(isPublic ? {} : { authorization: `Bearer ${keyFor(operation)}` }),
      ...(body === null ? {} : { 'content-type': 'application/json' }),
    },
    ...(body !== null && { body: JSON.stringify(body) }),
    ...(form !== null && { body: form }),
  });
  const { status, headers } = response;
  const type = headers.get('content-type') ?? '';
  if (type.startsWith('text/event-stream')) {
    await response.body?.cancel();
    return { status, headers, body: '' };
  }
  const text = await response.text();
  return { status, headers, body: type.startsWith('application/json') ? JSON.parse(text) : text };
}

test('every example of every operation is accepted and answered as documented', async () => {
  const run = new ExampleRun(mneme);
  const problems: string[] = [];
  const sent = new Set<string>();
  for (const example of api.examples) {
    const { operationId } = example.operation;
    const answer = await send(run, example);
    sent.add(operationId);
    const differences = api.differences(example, answer);
    const refused = WITH_MORE[operationId];
    const isExpected = refused === undefined ? answer.status < 300 : answer.status === refused;
    if (!isExpected || differences.length > 0) {
      problems.push(`${operationId} ${example.name}: ${answer.status} ${differences.join('; ')}`);
    }
    await run.goOn(example, answer.status, answer.body);
  }
  expect(problems).toEqual([]);
  expect(sent.size).toBe(api.operations.length);
});

test.each([
  ['GET', '/v3/session', null, 'sm_unknown', 401],
  ['POST', '/v3/documents', { content: 'x', metadata: { tags: [] } }, OWNER_KEY, 400],
  ['GET', '/v3/documents/{id}', null, OWNER_KEY, 404],
  ['POST', '/v3/documents/{id}/retry', null, OWNER_KEY, 409],
])('%s %s: %j, refused, is answered as documented', async (method, path, body, key, status) => {
  const id = await mneme.addAndWait('It rained.', { customId: 'rain' });
  const url = path.replace('{id}', status === 404 ? 'unknown' : id);
  const answer = await mneme.request(method, url, body ?? undefined, { authorization: `Bearer ${key}` });
  expect(answer.status).toBe(status);
  const operation = api.operations.find((one) => one.method === method && one.path === path);
  if (operation === undefined) throw new Error(`${method} ${path} is not documented`);
  expect(api.differences(operation, answer)).toEqual([]);
});
