import { err } from '#platform/kernel';
import { calledAddress } from './called-address.ts';
import { KNOWN_PROVIDERS, type Provider, Providers } from './providers.ts';

const provider = (name: string, base: string, details: Partial<Provider> = {}): Provider => ({
  ...{ name, base, format: 'openai', key: null, organizations: null, isConfigured: true, ...details },
});

const PROVIDERS = new Providers([
  provider('ollama', 'http://127.0.0.1:11434'),
  provider('vllm', 'http://10.0.0.7:8000/llm', { organizations: ['o2'] }),
  provider('openai', 'https://api.openai.com', { key: 'shared', organizations: ['o2'] }),
  ...KNOWN_PROVIDERS,
]);

const called = (requested: string, organization = 'o1') => calledAddress(requested, organization, PROVIDERS);
const addressOf = (requested: string, organization?: string) => {
  const found = called(requested, organization);
  return found.ok ? found.value.url.href : found.error;
};

test.each([
  ['/v3/https://api.openai.com/v1/chat/completions', 'https://api.openai.com/v1/chat/completions'],
  ['/v3/https:/api.openai.com/v1/models', 'https://api.openai.com/v1/models'],
  ['/v3/https%3A%2F%2Fapi.openai.com%2Fv1%2Fmodels', 'https://api.openai.com/v1/models'],
  ['/v3/https%3a%2f%2fapi.openai.com%2fv1%2fmodels%3Fa%3D1?b=2', 'https://api.openai.com/v1/models?a=1&b=2'],
  ['/v3/HTTPS://API.OpenAI.com/v1/models', 'https://api.openai.com/v1/models'],
  ['/v3/https://api.openai.com/v1/files/a%2Fb?x=%20y&x=', 'https://api.openai.com/v1/files/a%2Fb?x=%20y&x='],
  ['/v3/http://127.0.0.1:11434/v1/models', 'http://127.0.0.1:11434/v1/models'],
  ['/proxy/openai/v1/models?limit=2', 'https://api.openai.com/v1/models?limit=2'],
  ['/proxy/anthropic/v1/messages', 'https://api.anthropic.com/v1/messages'],
  [
    '/proxy/gemini/v1beta/models/gemini-2.5-flash:streamGenerateContent?alt=sse',
    'https://generativelanguage.googleapis.com/v1beta/models/gemini-2.5-flash:streamGenerateContent?alt=sse',
  ],
  ['/proxy/ollama/v1/chat/completions', 'http://127.0.0.1:11434/v1/chat/completions'],
])('%s is %s', (requested, address) => {
  expect(addressOf(requested)).toBe(address);
});

test.each([
  ['/v3/https://evil.example/v1/chat/completions', 'host_forbidden'],
  ['/v3/http://api.openai.com/v1/models', 'host_forbidden'],
  ['/v3/https://api.openai.com:8443/v1/models', 'host_forbidden'],
  ['/v3/https://api.openai.com.evil.example/', 'host_forbidden'],
  ['/v3/https://127.0.0.1:11434/v1/models', 'host_forbidden'],
  ['/v3/http://169.254.169.254/latest/meta-data', 'host_forbidden'],
  ['/v3/https://api.openai.com@evil.example/', 'no_address'],
  ['/v3/https:\\\\evil.example/', 'host_forbidden'],
  ['/v3/https://', 'no_address'],
  ['/v3/https%3A%2F%2Fapi.openai.com%2', 'no_address'],
  ['/v3/httpx', 'no_address'],
  ['/proxy/nobody/v1/models', 'unknown_provider'],
  ['/proxy/vllm/v1/models', 'provider_forbidden'],
  ['/proxy/', 'unknown_provider'],
])('%s is refused: %s', (requested, refusal) => {
  expect(called(requested)).toEqual(err(refusal));
});

test('a path does not leave the folder of its provider', () => {
  expect(addressOf('/proxy/vllm/v1/models', 'o2')).toBe('http://10.0.0.7:8000/llm/v1/models');
  for (const path of ['/../admin', '/%2e%2e/admin', '/v1/../../admin']) {
    expect(addressOf(`/proxy/vllm${path}`, 'o2')).toBe('no_address');
    expect(addressOf(`/v3/http://10.0.0.7:8000/llm${path}`, 'o2')).toBe('host_forbidden');
  }
  expect(addressOf('/v3/http://10.0.0.7:8000/llmx', 'o2')).toBe('host_forbidden');
});

test('an organization gets the first provider that it may call', () => {
  for (const [organization, key] of [
    ['o1', null],
    ['o2', 'shared'],
  ] as const) {
    for (const requested of ['/proxy/openai/v1/models', '/v3/https://api.openai.com/v1/models']) {
      expect(called(requested, organization)).toMatchObject({ value: { provider: { name: 'openai', key } } });
    }
  }
});

test('the user of the query and keys of this server do not go on', () => {
  expect(called('/proxy/gemini/v1beta/models?userId=a%20b%2Bc&key=AIza&x=1&userId=d')).toMatchObject({
    value: { userId: 'a b+c', hasKey: true, url: { search: '?key=AIza&x=1' } },
  });
  expect(called('/proxy/gemini/v1beta/models?key=sm_acme_0123456789012345678901')).toMatchObject({
    value: { userId: null, hasKey: false, url: { search: '' } },
  });
  expect(called('/proxy/gemini/v1beta/models?userId=')).toMatchObject({ value: { userId: null } });
});
