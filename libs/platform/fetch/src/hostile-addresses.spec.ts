import { openFetch } from '#platform/fetch';

/** What names of the tests resolve to. */
const NAMES: Readonly<Record<string, readonly string[]>> = {
  localhost: ['127.0.0.1', '::1'],
  'localhost.': ['127.0.0.1'],
  'localhost.localdomain': ['127.0.0.1'],
  'ip6-localhost': ['::1'],
  'www.localhost': ['127.0.0.1'],
  'metadata.google.internal': ['169.254.169.254'],
  'metadata.test': ['fd00:ec2::254'],
  'private.test': ['10.1.2.3'],
  'half-private.test': ['93.184.216.34', '192.168.1.1'],
  'half-private-v6.test': ['2606:2800:220:1::1', 'fd12:3456::1'],
  'mapped.test': ['::ffff:10.0.0.1'],
  'octal.test': ['0177.0.0.1'],
  'zone.test': ['fe80::1%eth0'],
  'nothing.test': ['not an address'],
  'public.test': ['93.184.216.34'],
  'public-v6.test': ['2606:2800:220:1:248:1893:25c8:1946'],
};

const HOSTILE = [
  // Loopback, in every notation.
  ...['http://127.0.0.1/', 'http://127.1/', 'http://127.0.1/', 'http://127.255.255.254/', 'http://127.0.0.1./'],
  ...['http://2130706433/', 'http://0x7f000001/', 'http://0x7f.0.0.1/', 'http://0x7f.1/', 'http://017700000001/'],
  ...[
    'http://0177.0.0.1/',
    'http://0177.1/',
    'http://0x7f.0x0.0x0.0x1/',
    'http://127.0.0x0.01/',
    'http://%31%32%37.0.0.1/',
  ],
  ...[
    'http://１２７.０.０.１/',
    'http://127。0。0。1/',
    'http://①②⑦.⓪.⓪.①/',
    'http://[::1]/',
    'http://[0:0:0:0:0:0:0:1]/',
  ],
  ...[
    'http://localhost/',
    'http://LOCALHOST/',
    'http://localhost./',
    'http://localhost.localdomain/',
    'http://ip6-localhost/',
  ],
  ...['http://www.localhost/', 'https://127.0.0.1/', 'http://public.test@127.0.0.1/', 'http://user:secret@localhost/'],
  // This host and broadcast.
  ...['http://0/', 'http://0.0.0.0/', 'http://0.1.2.3/', 'http://[::]/', 'http://255.255.255.255/', 'http://0x0/'],
  // Private networks.
  ...[
    'http://10.0.0.1/',
    'http://10.255.255.255/',
    'http://172.16.0.1/',
    'http://172.31.255.255/',
    'http://192.168.0.1/',
  ],
  ...[
    'http://167772161/',
    'http://0xa000001/',
    'http://012.0.0.1/',
    'http://[fc00::1]/',
    'http://[fd12:3456:789a::1]/',
  ],
  ...['http://private.test/', 'http://half-private.test/', 'http://half-private-v6.test/'],
  // Link-local addresses and metadata services.
  ...['http://169.254.169.254/latest/meta-data/', 'http://169.254.1.1/', 'http://2852039166/', 'http://0xa9fea9fe/'],
  ...['http://0251.0376.0251.0376/', 'http://169.254.170.2/', 'http://[fe80::1]/', 'http://[fd00:ec2::254]/'],
  ...['http://[fd20:ce::254]/', 'http://100.100.100.200/', 'http://168.63.129.16/', 'http://192.0.0.192/'],
  ...['http://metadata.google.internal/', 'http://metadata.test/', 'http://zone.test/', 'http://[febf::1]/'],
  // Shared, benchmark, documentation and reserved networks, multicast.
  ...[
    'http://100.64.0.1/',
    'http://100.127.255.255/',
    'http://198.18.0.1/',
    'http://198.19.255.255/',
    'http://192.0.0.1/',
  ],
  ...[
    'http://192.0.2.1/',
    'http://198.51.100.1/',
    'http://203.0.113.1/',
    'http://192.88.99.1/',
    'http://192.31.196.1/',
  ],
  ...['http://192.52.193.1/', 'http://224.0.0.1/', 'http://239.255.255.250/', 'http://240.0.0.1/', 'http://[ff02::1]/'],
  ...['http://[2001:db8::1]/', 'http://[3fff::1]/', 'http://[100::1]/', 'http://[5f00::1]/', 'http://[fec0::1]/'],
  ...['http://[2001:2::1]/', 'http://[2001:10::1]/', 'http://[2001:20::1]/', 'http://[4000::1]/', 'http://[1::1]/'],
  // IPv4 inside IPv6.
  ...['http://[::ffff:127.0.0.1]/', 'http://[::ffff:7f00:1]/', 'http://[::ffff:10.0.0.1]/', 'http://[::ffff:8.8.8.8]/'],
  ...['http://[::127.0.0.1]/', 'http://[::7f00:1]/', 'http://[::ffff:0:127.0.0.1]/', 'http://[64:ff9b::7f00:1]/'],
  ...[
    'http://[64:ff9b::10.0.0.1]/',
    'http://[64:ff9b:1::10.0.0.1]/',
    'http://[2002:7f00:1::]/',
    'http://[2002:a00:1::1]/',
  ],
  ...[
    'http://[2001::1]/',
    'http://[2001:0:7f00:1::]/',
    'http://[2606:2800::5efe:10.0.0.1]/',
    'http://[2606:2800::200:5efe:a00:1]/',
  ],
  ...['http://mapped.test/', 'http://octal.test/', 'http://nothing.test/'],
  // Other ports and schemes.
  ...['http://public.test:22/', 'http://public.test:25/', 'http://public.test:6379/', 'http://93.184.216.34:11211/'],
  ...[
    'https://public.test:6443/',
    'http://[2606:2800:220:1::1]:2375/',
    'http://public.test:0/',
    'http://localhost:8080/',
  ],
  ...['file:///etc/passwd', 'ftp://public.test/', 'gopher://public.test/', 'ws://public.test/', 'data:text/plain,x'],
  ...[
    'javascript:alert(1)',
    'unix:/var/run/docker.sock',
    '//public.test/',
    'public.test',
    '',
    'http://',
    'http://[::1',
    `http://${'a.'.repeat(200)}test/`,
  ],
];

function recording() {
  const connected: string[] = [];
  const fetch = openFetch({
    allow: [],
    loopback: false,
    proxy: null,
    resolver: async (name) => {
      const addresses = NAMES[name];
      if (addresses === undefined) throw Object.assign(new Error('unknown'), { code: 'ENOTFOUND' });
      return addresses;
    },
    connector: async (host, port) => {
      connected.push(`${host} ${port}`);
      throw Object.assign(new Error('nothing is opened'), { code: 'ECONNREFUSED' });
    },
  });
  return { connected, get: (address: string) => fetch.get(address, {}, async () => 'fetched') };
}

test('the list is long and names each address once', () => {
  expect(HOSTILE.length).toBeGreaterThan(100);
  expect(new Set(HOSTILE).size).toBe(HOSTILE.length);
});

test.each(HOSTILE)('%s is refused, and nothing is connected to', async (address) => {
  const { connected, get } = recording();
  await expect(get(address)).rejects.toMatchObject({ code: 'fetch_refused' });
  expect(connected).toEqual([]);
});

test.each([
  ['http://public.test/', '93.184.216.34 80'],
  ['https://public.test/', '93.184.216.34 443'],
  ['http://public.test:8080/', '93.184.216.34 8080'],
  ['https://public.test:8443/', '93.184.216.34 8443'],
  ['http://1.1.1.1/', '1.1.1.1 80'],
  ['http://16843009/', '1.1.1.1 80'],
  ['http://[2606:4700:4700::1111]/', '2606:4700:4700::1111 80'],
  ['https://public-v6.test/', '2606:2800:220:1:248:1893:25c8:1946 443'],
])('%s is connected to at the checked address', async (address, target) => {
  const { connected, get } = recording();
  await expect(get(address)).rejects.toMatchObject({ code: 'fetch_failed', isTemporary: false });
  expect(connected).toEqual([target]);
});

test('the refusal does not tell what a name resolves to', async () => {
  await expect(recording().get('http://private.test/')).rejects.toThrow(/^private\.test is not fetched: (?!.*10\.1)/);
});
