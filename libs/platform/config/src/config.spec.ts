import { resolve } from 'node:path';
import { ConfigError, describeSettings, loadConfig } from '#platform/config';
import { withoutCredentials } from '#platform/kernel';

test('nothing set gives the documented defaults', () => {
  const { config, warnings } = loadConfig({ HOME: '/root' });
  expect(config).toMatchObject({
    host: '127.0.0.1',
    port: 6767,
    dataFolder: resolve('data'),
    apiKey: null,
    rateLimit: { requests: 500, seconds: 60 },
    embedding: 'local',
    languages: 'auto',
    ocrLanguages: ['eng'],
    ffmpeg: null,
    cacheBytes: 256 * 1024 * 1024,
  });
  expect(warnings).toEqual([]);
});

test('every unknown or unusable setting is named at once', () => {
  const load = () => loadConfig({ MNEME_PROT: '1', MNEME_PORT: 'x', MNEME_RATE_LIMIT: '5', MNEME_EMBEDDING: 'cloud' });
  expect(load).toThrow(ConfigError);
  expect(load).toThrow(/MNEME_PROT.*\n.*MNEME_PORT.*\n.*MNEME_RATE_LIMIT.*\n.*MNEME_EMBEDDING/);
});

test.each([
  ['MNEME_PROT', 'MNEME_PORT'],
  ['MNEME_DATTA', 'MNEME_DATA'],
  ['MNEME_DATA_FOLDER', 'MNEME_DATA'],
  ['MNEME_LOGLEVEL', 'MNEME_LOG_LEVEL'],
  ['MNEME_OPENSEARCH', 'MNEME_OPENSEARCH_URL'],
  ['MNEME_NATS', 'MNEME_NATS_URL'],
])('for %s the message suggests %s', (name, meant) => {
  expect(() => loadConfig({ [name]: '1' })).toThrow(`${name} is not a setting of Mneme. Did you mean ${meant}?`);
});

test('no setting is suggested for a name that resembles none', () => {
  expect(() => loadConfig({ MNEME_XYZZY: '1' })).toThrow(/^MNEME_XYZZY is not a setting of Mneme$/);
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

test('the key of the installation is not that of an owner', () => {
  const key = 'sm_a_key_of_our_own_';
  const load = () => loadConfig({ MNEME_API_KEY: key, MNEME_INSTALLATION_KEY: key });
  expect(load).toThrow(/^MNEME_INSTALLATION_KEY must be another key than MNEME_API_KEY$/);
  expect(loadConfig({ MNEME_INSTALLATION_KEY: key }).config.installationKey).toBe(key);
});

test.each([
  ['off', null],
  ['10/1', { requests: 10, seconds: 1 }],
])('rate limit %s', (text, expected) => {
  expect(loadConfig({ MNEME_RATE_LIMIT: text }).config.rateLimit).toEqual(expected);
});

test.each([
  ['deu', ['deu']],
  ['eng+deu', ['eng', 'deu']],
  ['eng, chi_sim_vert,aze_cyrl,eng', ['eng', 'chi_sim_vert', 'aze_cyrl']],
])('languages of pictures %s', (text, expected) => {
  expect(loadConfig({ MNEME_OCR_LANGUAGES: text }).config.ocrLanguages).toEqual(expected);
});

test.each(['en', 'German', 'eng;deu', 'eng,', '../eng'])('languages of pictures %s are refused', (text) => {
  const load = () => loadConfig({ MNEME_OCR_LANGUAGES: text });
  expect(load).toThrow(/^MNEME_OCR_LANGUAGES must be Tesseract's names of languages, .* is none$/);
});

test('an empty variable counts as not set', () => {
  expect(loadConfig({ MNEME_API_KEY: '' }).config.apiKey).toBeNull();
});

test.each(['a-key-of-our-own-0123456789', 'sm_short', 'sm_with white space 0123456789'])(
  'an owner key that no request could use is refused: %s',
  (key) => {
    const load = () => loadConfig({ MNEME_API_KEY: key });
    expect(load).toThrow(/^MNEME_API_KEY must be sm_ and 17 to 197 characters without white space$/);
    expect(loadConfig({ MNEME_API_KEY: 'sm_a_key_of_our_own_' }).config.apiKey).toBe('sm_a_key_of_our_own_');
  },
);

test('every setting is described', () => {
  for (const { variable, meaning } of describeSettings()) {
    expect(variable).toMatch(/^MNEME_/);
    expect(meaning).not.toBe('');
  }
});

const ENGINES = {
  MNEME_EVENTSTORE_URL: 'esdb+discover://admin:changeit@one:2113,two:2113?tls=true',
  MNEME_NATS_URL: 'nats://me:secret@one:4222,two:4222',
  MNEME_OPENSEARCH_URL: 'https://me:secret@search:9200',
};

test('engines are embedded unless their address is set, each on its own', () => {
  expect(loadConfig({}).config).toMatchObject({ role: 'all', eventStoreUrl: null, natsUrl: null, openSearchUrl: null });
  const { config } = loadConfig({ MNEME_NATS_URL: 'tls://one' });
  expect(config).toMatchObject({ natsUrl: 'tls://one', eventStoreUrl: null });
});

test('a role of its own needs every engine to be shared, and the refusal names what is missing', () => {
  expect(loadConfig({ ...ENGINES, MNEME_ROLE: 'worker' }).config.role).toBe('worker');
  expect(() => loadConfig({ MNEME_ROLE: 'api', MNEME_NATS_URL: 'nats://one' })).toThrow(
    'MNEME_ROLE api needs engines that processes can share; not set: MNEME_EVENTSTORE_URL (event log), MNEME_OPENSEARCH_URL (views)',
  );
  expect(() => loadConfig({ MNEME_ROLE: 'boss' })).toThrow(/MNEME_ROLE must be one of all, api, worker/);
});

test.each([
  ['MNEME_EVENTSTORE_URL', 'http://u:secret@one:2113'],
  ['MNEME_NATS_URL', 'u:secret@one'],
  ['MNEME_NATS_URL', 'nats://u:secret@'],
  ['MNEME_OPENSEARCH_URL', 'https://u:secret@one two'],
])('an address of %s that cannot be used is refused without being shown', (name, value) => {
  const load = () => loadConfig({ [name]: value });
  expect(load).toThrow(new RegExp(`^${name} must be an address like `));
  expect(load).not.toThrow(/secret/);
});

test('an address is shown without its credentials', () => {
  expect(Object.values(ENGINES).map(withoutCredentials)).toEqual([
    'esdb+discover://one:2113,two:2113',
    'nats://one:4222,two:4222',
    'https://search:9200',
  ]);
  expect(withoutCredentials('nats://a:b@one,nats://c:d@two')).toBe('nats://one,nats://two');
  expect(withoutCredentials('esdb://user:a,b@one:2113?tls=false')).toBe('esdb://one:2113');
});

test('mails need the public address of the server, because their links start with it', () => {
  const smtp = { MNEME_SMTP_URL: 'smtp://mail.example:587' };
  expect(() => loadConfig(smtp)).toThrow(
    /^MNEME_SMTP_URL needs MNEME_PUBLIC_URL, the address that links in mails start with$/,
  );
  const { config } = loadConfig({ ...smtp, MNEME_PUBLIC_URL: 'https://memory.example/' });
  expect(config).toMatchObject({ smtpUrl: 'smtp://mail.example:587', mailFrom: null });
  expect(() => loadConfig({ MNEME_SMTP_URL: 'http://mail.example' })).toThrow(
    /^MNEME_SMTP_URL must be an address like/,
  );
});

describe('sign-in', () => {
  const PUBLIC = { MNEME_PUBLIC_URL: 'https://memory.example' };
  const OIDC = {
    ...{ ...PUBLIC, MNEME_OIDC_ISSUER: 'https://id.example/realm' },
    ...{ MNEME_OIDC_CLIENT_ID: 'mneme', MNEME_OIDC_CLIENT_SECRET: 's' },
  };

  test('a provider is named by issuer, client id and secret together, and sends people back to the public address', () => {
    expect(loadConfig(OIDC).config).toMatchObject({ oidcIssuer: 'https://id.example/realm', oidcClientId: 'mneme' });
    expect(loadConfig({}).config).toMatchObject({ oidcIssuer: null, oidcDomains: [], trustedProxies: [] });
    for (const name of ['MNEME_OIDC_ISSUER', 'MNEME_OIDC_CLIENT_ID', 'MNEME_OIDC_CLIENT_SECRET']) {
      expect(() => loadConfig({ ...OIDC, [name]: '' })).toThrow(`not set: ${name}`);
    }
    expect(() => loadConfig({ ...OIDC, MNEME_PUBLIC_URL: '' })).toThrow('MNEME_OIDC_ISSUER needs MNEME_PUBLIC_URL');
  });

  test.each([
    ['http://127.0.0.1:9000', true],
    ['http://127.8.0.1/realm', true],
    ['http://[::1]:9000', true],
    ['http://localhost:9000', true],
    ['http://id.example', false],
    ['http://10.0.0.1', false],
    ['http://127.0.0.1.evil.example', false],
    ['ftp://id.example', false],
    ['https://id.example?x=1', false],
    ['https://user@id.example', false],
    ['id.example', false],
  ])('the issuer %s: %s', (issuer, isAccepted) => {
    const load = () => loadConfig({ ...OIDC, MNEME_OIDC_ISSUER: issuer });
    if (isAccepted) expect(load().config.oidcIssuer).toBe(issuer);
    else expect(load).toThrow(/^MNEME_OIDC_ISSUER must /);
  });

  test('domains have one organization each', () => {
    const load = (text: string) => loadConfig({ ...OIDC, MNEME_OIDC_DOMAINS: text }).config.oidcDomains;
    expect(load('Example.com=o1, sub.example.org = o2,')).toEqual([
      ['example.com', 'o1'],
      ['sub.example.org', 'o2'],
    ]);
    for (const wrong of ['example.com', 'example.com=', 'com=o1', 'a@example.com=o1', 'example.com=o1=o2']) {
      expect(() => load(wrong)).toThrow(/^MNEME_OIDC_DOMAINS must be a list like/);
    }
    expect(() => load('example.com=o1,EXAMPLE.com=o2')).toThrow('names example.com twice');
    expect(() => loadConfig({ MNEME_OIDC_DOMAINS: 'example.com=o1' })).toThrow('needs MNEME_OIDC_ISSUER');
  });

  test('trusted proxies are addresses and networks', () => {
    const load = (text: string) => loadConfig({ MNEME_TRUSTED_PROXIES: text }).config.trustedProxies;
    expect(load('10.0.0.5, 10.2.0.0/16,::1,fd12::/16')).toEqual(['10.0.0.5', '10.2.0.0/16', '::1', 'fd12::/16']);
    for (const wrong of ['proxy.lan', '10.0.0.0/33', '10.0.0', '::1/129', '10.0.0.0/', 'true', '1']) {
      expect(() => load(wrong)).toThrow(/^MNEME_TRUSTED_PROXIES must be a list like/);
    }
  });
});

describe('callers of tools', () => {
  test('hosts are names and addresses', () => {
    const load = (text: string) => loadConfig({ MNEME_HOSTS: text }).config.hosts;
    expect(load('')).toEqual([]);
    expect(load('Mneme.lan, 10.0.0.5,[fd12::1],fd12::2')).toEqual(['mneme.lan', '10.0.0.5', '[fd12::1]', '[fd12::2]']);
    for (const wrong of ['mneme.lan:6767', 'http://mneme.lan', 'mneme/lan', 'a b', 'user@mneme', '*']) {
      expect(() => load(wrong)).toThrow(/^MNEME_HOSTS must be a list like/);
    }
  });

  test('origins have a scheme and no path', () => {
    const load = (text: string) => loadConfig({ MNEME_ORIGINS: text }).config.origins;
    expect(load('https://Chat.example.com:8443,app://notes')).toEqual(['https://chat.example.com:8443', 'app://notes']);
    for (const wrong of ['chat.example.com', 'https://chat.example.com/', '*', 'null', 'https://a b']) {
      expect(() => load(wrong)).toThrow(/^MNEME_ORIGINS must be a list like/);
    }
  });
});

describe('MNEME_FOLDERS and MNEME_RCLONE', () => {
  const folders = (list: unknown) => loadConfig({ MNEME_FOLDERS: JSON.stringify(list) }).config.folders;
  const rclone = (list: unknown) => loadConfig({ MNEME_RCLONE: JSON.stringify(list) }).config.rclone;

  test('name what connections may read from', () => {
    expect(folders([])).toEqual([]);
    expect(folders([{ name: 'notes', path: '/srv/notes/' }])).toEqual([
      { name: 'notes', path: '/srv/notes', organizations: null },
    ]);
    expect(
      rclone([
        { name: 'team', remote: 'dropbox:/Team/2026/', organizations: ['o1'] },
        { name: 'all', remote: 'my drive:' },
      ]),
    ).toEqual([
      { name: 'team', remote: 'dropbox', path: 'Team/2026', organizations: ['o1'] },
      { name: 'all', remote: 'my drive', path: '', organizations: null },
    ]);
  });

  test.each([
    [{ name: 'notes', path: 'notes' }, 'MNEME_FOLDERS needs an absolute path of notes, not notes'],
    [{ name: 'Notes', path: '/srv' }, 'MNEME_FOLDERS has an entry without a `name`'],
    [{ name: 'notes' }, 'MNEME_FOLDERS needs a path of notes'],
    [{ name: 'notes', path: '/srv', organizations: [] }, 'MNEME_FOLDERS has organizations of notes that are no list'],
    [{ name: 'notes', path: '/srv', organisations: [] }, 'MNEME_FOLDERS has a field organisations of notes'],
    ['/srv/notes', 'MNEME_FOLDERS must be a JSON list like'],
  ])('a folder %j is refused', (entry, message) => {
    expect(() => folders([entry])).toThrow(message);
    expect(() =>
      folders([
        { name: 'a', path: '/a' },
        { name: 'a', path: '/b' },
      ]),
    ).toThrow('names a twice');
  });

  test.each([
    ...['dropbox', '', ':sftp,host=example.com:', ':local:/etc', 'dropbox,token=x:', '-v:', '--config=/x:', 'a:b:c'],
    ...['dropbox:../Team', 'dropbox:Team/../..', 'local{abc}:', '/srv/notes'],
  ])('a remote %j is refused', (remote) => {
    expect(() => rclone([{ name: 'team', remote }])).toThrow('MNEME_RCLONE needs a remote of team');
  });
});

describe('MNEME_PROXY_PROVIDERS', () => {
  const read = (providers: unknown) =>
    loadConfig({ MNEME_PROXY_PROVIDERS: typeof providers === 'string' ? providers : JSON.stringify(providers) }).config
      .proxyProviders;
  const ollama = { name: 'ollama', base: 'http://127.0.0.1:11434/', format: 'openai' };

  test('names providers with their addresses, keys and organizations', () => {
    expect(read([])).toEqual([]);
    expect(
      read([
        ollama,
        { ...ollama, name: 'team', keyFile: 'key.txt', organizations: ['o1'] },
        { ...ollama, name: 'x', key: 'k' },
      ]),
    ).toEqual([
      { ...ollama, base: 'http://127.0.0.1:11434', key: null, keyFile: null, organizations: null },
      {
        ...{ ...ollama, name: 'team', base: 'http://127.0.0.1:11434', key: null },
        ...{ keyFile: resolve('key.txt'), organizations: ['o1'] },
      },
      { ...ollama, name: 'x', base: 'http://127.0.0.1:11434', key: 'k', keyFile: null, organizations: null },
    ]);
  });

  test.each([
    ['[', /must be a JSON list/],
    [{}, /must be a JSON list/],
    [[1], /must be a JSON list/],
    [[{ ...ollama, name: 'Ollama' }], /`name` of lower-case letters/],
    [[ollama, ollama], /names ollama twice/],
    [[{ ...ollama, base: 'ftp://host' }], /needs a base of ollama/],
    [[{ ...ollama, base: 'http://user:pass@host' }], /needs a base of ollama/],
    [[{ ...ollama, format: 'azure' }], /needs a format of ollama: openai, anthropic, gemini/],
    [[{ ...ollama, key: 'secret\nkey' }], /has a key of ollama that is none/],
    [[{ ...ollama, key: 'secret', keyFile: 'f' }], /both key and keyFile of ollama/],
    [[{ ...ollama, keyfile: 'f' }], /a field keyfile of ollama/],
    [[{ ...ollama, organizations: [] }], /organizations of ollama/],
  ])('%j is refused', (providers, message) => {
    expect(() => read(providers)).toThrow(message);
    expect(() => read(providers)).not.toThrow(/secret/);
  });
});

describe('Google Drive', () => {
  const GOOGLE = { MNEME_GOOGLE_CLIENT_ID: 'id', MNEME_GOOGLE_CLIENT_SECRET: 'secret' };

  it('needs both the id and the secret, and an address to which Google sends people back', () => {
    expect(loadConfig({ ...GOOGLE, MNEME_PUBLIC_URL: 'https://memory.example' }).config).toMatchObject({
      ...{ googleClientId: 'id', googleClientSecret: 'secret', googleUrls: null, redirects: [] },
    });
    expect(loadConfig({ ...GOOGLE, MNEME_PUBLIC_URL: 'http://localhost:6767' }).config.googleClientId).toBe('id');
    expect(() => loadConfig({ MNEME_GOOGLE_CLIENT_ID: 'id' })).toThrow('both');
    expect(() => loadConfig(GOOGLE)).toThrow('MNEME_GOOGLE_CLIENT_ID needs MNEME_PUBLIC_URL');
    expect(() => loadConfig({ ...GOOGLE, MNEME_PUBLIC_URL: 'http://memory.example' })).toThrow('https://');
  });

  it('reads where people may be sent back to, and two addresses of a stand-in', () => {
    const MNEME_REDIRECTS = 'https://app.example.com/connected/, http://127.0.0.1:8123';
    expect(loadConfig({ MNEME_REDIRECTS }).config.redirects).toEqual([
      ...['https://app.example.com/connected', 'http://127.0.0.1:8123'],
    ]);
    for (const wrong of ['http://app.example.com', 'app.example.com', 'https://app.example.com/?a=b']) {
      expect(() => loadConfig({ MNEME_REDIRECTS: wrong })).toThrow(/^MNEME_REDIRECTS must be /);
    }
    const MNEME_GOOGLE_URLS = 'http://127.0.0.1:1,http://127.0.0.1:2';
    expect(loadConfig({ MNEME_GOOGLE_URLS }).config.googleUrls).toEqual(MNEME_GOOGLE_URLS.split(','));
    expect(() => loadConfig({ MNEME_GOOGLE_URLS: 'http://127.0.0.1:1' })).toThrow('MNEME_GOOGLE_URLS must be two');
  });
});
