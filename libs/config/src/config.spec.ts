import { resolve } from 'node:path';
import { ConfigError, describeSettings, loadConfig } from '#config';

test('nothing set gives the documented defaults', () => {
  const { config, warnings } = loadConfig({ HOME: '/root' });
  expect(config).toMatchObject({
    host: '127.0.0.1',
    port: 6767,
    dataFolder: resolve('data'),
    apiKey: null,
    rateLimit: { requests: 500, seconds: 60 },
    embedding: 'local',
    cacheBytes: 256 * 1024 * 1024,
  });
  expect(warnings).toEqual([]);
});

test('every unknown or unusable setting is named at once', () => {
  const load = () => loadConfig({ MNEME_PROT: '1', MNEME_PORT: 'x', MNEME_RATE_LIMIT: '5', MNEME_EMBEDDING: 'cloud' });
  expect(load).toThrow(ConfigError);
  expect(load).toThrow(/MNEME_PROT.*\n.*MNEME_PORT.*\n.*MNEME_RATE_LIMIT.*\n.*MNEME_EMBEDDING/);
});

test('what a container platform injects is ignored with a warning', () => {
  const { config, warnings } = loadConfig({
    MNEME_PORT: 'tcp://10.0.0.1:6767',
    MNEME_PORT_6767_TCP: 'tcp://10.0.0.1:6767',
    MNEME_SERVICE_HOST: '10.0.0.1',
  });
  expect(config.port).toBe(6767);
  expect(warnings).toHaveLength(3);
});

test.each([
  ['off', null],
  ['10/1', { requests: 10, seconds: 1 }],
])('rate limit %s', (text, expected) => {
  expect(loadConfig({ MNEME_RATE_LIMIT: text }).config.rateLimit).toEqual(expected);
});

test('an empty variable counts as not set', () => {
  expect(loadConfig({ MNEME_API_KEY: '' }).config.apiKey).toBeNull();
});

test('every setting is described', () => {
  for (const { variable, meaning } of describeSettings()) {
    expect(variable).toMatch(/^MNEME_/);
    expect(meaning).not.toBe('');
  }
});
