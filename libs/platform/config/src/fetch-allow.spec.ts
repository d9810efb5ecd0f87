import { fetchAllow } from './fetch-allow.ts';

test('names, networks and ports are read', () => {
  expect(fetchAllow('')).toEqual([]);
  expect(
    fetchAllow('Wiki.corp, *.lan:3000 ,10.2.0.0/16, 10.1.2.3:9000,fd12::/16,[fd12::1]:81, [fd12::/16]:82,:8081'),
  ).toEqual([
    { host: 'wiki.corp', port: null },
    { host: '*.lan', port: 3000 },
    { network: '10.2.0.0/16', port: null },
    { network: '10.1.2.3/32', port: 9000 },
    { network: 'fd12::/16', port: null },
    { network: 'fd12::1/128', port: 81 },
    { network: 'fd12::/16', port: 82 },
    { port: 8081 },
  ]);
});

test.each([
  '*',
  '*.',
  'a b',
  'wiki:0',
  'wiki:70000',
  'wiki:x',
  '10.0.0.0/33',
  '10.0.0/8',
  '[10.0.0.1',
  'http://wiki',
  'a*.b',
  'u:p@host',
  '0x7f.1',
])('%s opens nothing', (text) => {
  expect(() => fetchAllow(text)).toThrow('must be a list like');
});
