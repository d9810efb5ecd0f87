import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { installPack, packLanguage } from './ocr-packs.ts';
import { ModelUnavailableError } from './port.ts';

describe('installPack', () => {
  let folder: string;
  let dataFolder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'mneme-packs-'));
    dataFolder = join(folder, 'data');
  });
  afterEach(() => rm(folder, { recursive: true }));

  /** Replaces `npm` by the shell script `body`; $prefix is the folder to install in, $package the last argument. */
  async function npmThat(body: string): Promise<string> {
    const npm = join(folder, 'npm');
    const read = 'for package in "$@"; do test "$before" = --prefix && prefix=$package; before=$package; done';
    await writeFile(npm, `#!/bin/sh\n${read}\n${body}\n`);
    await chmod(npm, 0o755);
    return npm;
  }
  const unpacked = '$prefix/node_modules/@tesseract.js-data/deu';
  const models = () => readdir(join(dataFolder, 'models'), { recursive: true });

  it('keeps the weights of the neural network, and nothing else of the package', async () => {
    const npm = await npmThat(
      `for one in 4.0.0_best_int 4.0.0; do
        mkdir -p "${unpacked}/$one" && echo "$one $package" >"${unpacked}/$one/deu.traineddata.gz"
      done`,
    );
    const target = await installPack({ dataFolder, language: 'deu', npm });
    expect(target).toBe(join(dataFolder, 'models', 'ocr-deu'));
    expect(await readFile(join(target, 'deu.traineddata.gz'), 'utf8')).toBe(
      '4.0.0_best_int @tesseract.js-data/deu@1.0.0\n',
    );
    expect((await models()).sort()).toEqual(['ocr-deu', 'ocr-deu/deu.traineddata.gz']);
  });

  it.each([
    [
      'says why there is no package',
      'echo "npm error code E404\nnpm error 404 Not Found - GET it" >&2; exit 1',
      '404 Not Found - GET it',
    ],
    ['refuses a package without weights', `mkdir -p "${unpacked}"`, 'the package has no deu.traineddata.gz'],
  ])('%s, and leaves nothing', async (_name, body, problem) => {
    const error = await installPack({ dataFolder, language: 'deu', npm: await npmThat(body) }).catch(
      (thrown) => thrown,
    );
    expect(error).toBeInstanceOf(ModelUnavailableError);
    expect(error.attempts).toEqual([{ source: 'npm registry', problem: expect.stringContaining(problem) }]);
    expect(await models()).toEqual([]);
  });
});

describe('with the npm client', () => {
  let folder: string;
  let registry: Server;
  let checksum: (bytes: Uint8Array) => string;
  const settings = ['npm_config_registry', 'npm_config_cache', 'npm_config_fetch_retries'] as const;
  const before = settings.map((name) => process.env[name]);
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'mneme-registry-'));
    await mkdir(join(folder, 'package', '4.0.0_best_int'), { recursive: true });
    await writeFile(join(folder, 'package', '4.0.0_best_int', 'deu.traineddata.gz'), 'weights');
    const described = { name: '@tesseract.js-data/deu', version: '1.0.0' };
    await writeFile(join(folder, 'package', 'package.json'), JSON.stringify(described));
    await promisify(execFile)('tar', ['-czf', 'deu.tgz', 'package'], { cwd: folder });
    const tarball = await readFile(join(folder, 'deu.tgz'));
    registry = createServer((request, response) => {
      if (request.url?.endsWith('.tgz')) return response.end(tarball);
      const dist = { tarball: `${address()}/deu.tgz`, integrity: checksum(tarball) };
      const versions = { '1.0.0': { ...described, dist } };
      return response.end(JSON.stringify({ name: described.name, 'dist-tags': { latest: '1.0.0' }, versions }));
    }).listen(0, '127.0.0.1');
    await once(registry, 'listening');
    const address = () => `http://127.0.0.1:${(registry.address() as AddressInfo).port}`;
    process.env.npm_config_registry = address();
    process.env.npm_config_fetch_retries = '0';
  });
  afterAll(async () => {
    for (const [i, name] of settings.entries()) {
      const value = before[i];
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
    }
    registry.closeAllConnections();
    await new Promise((resolve) => registry.close(resolve));
    await rm(folder, { recursive: true });
  });
  const sha512 = (bytes: Uint8Array) => `sha512-${createHash('sha512').update(bytes).digest('base64')}`;

  it('installs from the configured registry', async () => {
    checksum = sha512;
    process.env.npm_config_cache = join(folder, 'cache');
    const target = await installPack({ dataFolder: join(folder, 'data'), language: 'deu' });
    expect(await readFile(join(target, 'deu.traineddata.gz'), 'utf8')).toBe('weights');
  });

  it('refuses a package that differs from the checksum of the registry', async () => {
    checksum = () => sha512(Buffer.from('other bytes'));
    process.env.npm_config_cache = join(folder, 'other-cache');
    const dataFolder = join(folder, 'other');
    await expect(installPack({ dataFolder, language: 'deu' })).rejects.toThrow(ModelUnavailableError);
    expect(await readdir(join(dataFolder, 'models'))).toEqual([]);
  });
});

test.each([
  ['ocr-deu', 'deu'],
  ['ocr-chi_sim_vert', 'chi_sim_vert'],
  ['ocr-', null],
  ['ocr-../../x', null],
  ['whisper-base', null],
])('the language of %s is %s', (name, language) => {
  expect(packLanguage(name)).toBe(language);
});
