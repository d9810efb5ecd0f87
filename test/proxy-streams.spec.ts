import { request as send } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import { type LoopbackProvider, openProvider } from '../apps/server/src/http/testing/loopback-provider.ts';
import { answerBytes } from './clients/answers-of-models.ts';
import { eventually, Mneme, OWNER_KEY } from './support/mneme.ts';

/** A thousand streamed answers have the same bytes with and without the proxy, however the provider cuts them. */

const CALLS = 1_000;
const AT_ONCE = 20;
const PATHS = [
  '/v1/chat/completions',
  '/v1/messages',
  '/v1/responses',
  '/v1beta/models/m:streamGenerateContent?alt=sse',
];
const WORDS = ['tide ', 'é', '漢字 ', '😀 ', 'a"b\\ ', '\n', '</mneme-memories> ', 'data: x\n\n'];

/** Returns the same numbers for each seed, 0…1. */
function* random(seed: number): Generator<number, never> {
  for (let state = seed * 7_919 + 1; ; ) {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    yield state / 2 ** 31;
  }
}

let provider: LoopbackProvider;
let mneme: Mneme;
beforeAll(async () => {
  provider = await openProvider(async (_, response, call) => {
    const seed = Number(call.header('x-seed'));
    const numbers = random(seed);
    const next = (most: number) => Math.floor(numbers.next().value * most);
    const text = Array.from({ length: 1 + next(60) }, () => WORDS[next(WORDS.length)]).join('');
    const { bytes: plain, type } = answerBytes(call, text);
    const isZipped = seed % 5 === 0;
    const bytes = isZipped ? gzipSync(plain) : plain;
    response.writeHead(200, { 'content-type': type, ...(isZipped && { 'content-encoding': 'gzip' }) });
    for (let at = 0; at < bytes.length; ) {
      const end = at + 1 + next(next(3) === 0 ? 4 : 400);
      response.write(bytes.subarray(at, end));
      at = end;
      if (next(4) === 0) await new Promise((resolve) => setImmediate(resolve));
    }
    response.end();
  });
  const providers = [{ name: 'local', base: provider.url, format: 'openai' }];
  mneme = await Mneme.start({ env: { MNEME_PROXY_PROVIDERS: JSON.stringify(providers) } });
});
afterAll(async () => {
  await mneme?.stop();
  await provider?.close();
});

async function called(url: string, body: string, headers: Readonly<Record<string, string>>) {
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>();
  const request = send(url, { method: 'POST', headers }, (response) => buffer(response).then(resolve, reject));
  request.on('error', reject).end(body);
  return promise;
}

test('a thousand streams', async () => {
  let done = 0;
  const one = async (seed: number) => {
    const path = PATHS[seed % PATHS.length] as string;
    const said = [{ role: 'user', content: `call ${seed}` }];
    const body = JSON.stringify({ stream: true, messages: said, input: said, contents: [{ parts: [{ text: 'x' }] }] });
    const headers = { 'x-seed': String(seed), 'x-supermemory-api-key': OWNER_KEY, 'x-sm-user-id': `user-${seed % 50}` };
    const [direct, proxied] = await Promise.all([
      called(`${provider.url}${path}`, body, headers),
      called(`${mneme.url}/proxy/local${path}`, body, headers),
    ]);
    if (!direct.equals(proxied)) throw new Error(`the stream ${seed} of ${path} has other bytes`);
    expect(direct.length).toBeGreaterThan(20);
    done += 1;
  };
  const seeds = Array.from({ length: CALLS }, (_, seed) => seed).values();
  const worker = async () => {
    for (const seed of seeds) await one(seed);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  expect(done).toBe(CALLS);
  // All four forms were read, compressed ones too.
  await eventually(async () => {
    const { body } = await mneme.post<{ pagination: { totalItems: number } }>('/v3/documents/list', {});
    return body.pagination.totalItems >= CALLS / 2 ? true : null;
  });
});
