import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { runInNewContext } from 'node:vm';
import { load } from 'js-yaml';
import { loadConfig } from '#platform/config';

/** Checks of the container files without running containers. */

interface Service {
  readonly image: string;
  readonly command?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  readonly depends_on?: Readonly<Record<string, { readonly condition: string }>>;
  readonly healthcheck?: { readonly test: readonly string[] };
  readonly mem_limit?: string;
  readonly ports?: readonly string[];
  readonly volumes?: readonly string[];
}
interface Compose {
  readonly services: Readonly<Record<string, Service>>;
  readonly volumes: Readonly<Record<string, unknown>>;
}

const root = resolve(import.meta.dirname, '..');
const read = async (file: string) => load(await readFile(resolve(root, file), 'utf8')) as Compose;
/** As of somebody who sets only what must be set. */
const settings = ({ environment = {} }: Service) =>
  Object.fromEntries(
    Object.entries(environment).map(([name, value]) => [
      name,
      value.replace(/^\$\{\w+:([?-])(.*)\}$/, (_, need, byDefault) =>
        need === '?' ? 'sm_test_key_0123456789' : byDefault,
      ),
    ]),
  );

test.each(['docker-compose.yml', 'docker-compose.cluster.yml'])(
  '%s has limits, health checks and volumes, and publishes ports on localhost only',
  async (file) => {
    const { services, volumes } = await read(file);
    for (const [name, service] of Object.entries(services)) {
      expect([name, service.mem_limit]).toEqual([name, expect.stringMatching(/^\d+[mg]$/)]);
      for (const port of service.ports ?? []) expect(port).toMatch(/^127\.0\.0\.1:/);
      for (const volume of service.volumes ?? []) expect(Object.keys(volumes)).toContain(volume.split(':')[0]);
      // The health check of our image is in the Dockerfile.
      if (service.image !== 'mneme') expect([name, service.healthcheck]).toEqual([name, expect.anything()]);
      for (const needed of Object.keys(service.depends_on ?? {})) expect(Object.keys(services)).toContain(needed);
    }
  },
);

test('the cluster has two API processes and two workers with valid settings', async () => {
  const { services } = await read('docker-compose.cluster.yml');
  const ours = Object.values(services).filter(({ image }) => image === 'mneme');
  const configs = ours.map((service) => loadConfig(settings(service)).config);
  expect(configs.map(({ role }) => role).sort()).toEqual(['api', 'api', 'worker', 'worker']);
  for (const { eventStoreUrl, natsUrl, openSearchUrl } of configs) {
    const hosts = [eventStoreUrl, natsUrl, openSearchUrl].flatMap((url) =>
      (url as string)
        .replace(/^.*\/\//, '')
        .split(',')
        .map((host) => host.split(':')[0] as string),
    );
    expect(Object.keys(services)).toEqual(expect.arrayContaining(hosts));
  }
});

test('the cluster has three NATS servers that know each other, and a copy of each stream on every one', async () => {
  const file = 'docker-compose.cluster.yml';
  const { services } = await read(file);
  const names = Object.keys(services).filter((name) => name.startsWith('nats-'));
  expect(names).toHaveLength(3);
  for (const name of names) {
    const { command = [], volumes } = services[name] as Service;
    const routes = names.filter((other) => other !== name).map((other) => `nats://${other}:6222`);
    expect(command).toEqual(expect.arrayContaining([`--server_name=${name}`, `--routes=${routes.join(',')}`]));
    expect(volumes).toEqual([`${name}-data:/data`]);
  }
  for (const service of Object.values(services).filter(({ image }) => image === 'mneme')) {
    const { config } = loadConfig(settings(service));
    expect(config.natsReplicas).toBe(names.length);
    for (const name of names) expect(config.natsUrl).toContain(`${name}:4222`);
  }
  // The stores that must be kept are named where their volumes are.
  const text = await readFile(resolve(root, file), 'utf8');
  for (const kept of ['eventstore-data', 'mneme-keys', 'mneme-blobs'])
    expect(text).toMatch(new RegExp(`^#.*${kept}`, 'm'));
});

/** The arguments of the health check of our image, and of the compose file that has one of its own. */
async function healthChecks(): Promise<readonly (readonly string[])[]> {
  const dockerfile = await readFile(resolve(root, 'Dockerfile'), 'utf8');
  const ofImage = /^HEALTHCHECK[^[]*(\[.*\])$/m.exec(dockerfile)?.[1] ?? '[]';
  const files = await Promise.all(['docker-compose.yml', 'docker-compose.cluster.yml'].map(read));
  const ofFiles = files
    .flatMap(({ services }) => Object.values(services))
    .flatMap(({ image, healthcheck }) => (image === 'mneme' && healthcheck !== undefined ? [healthcheck.test] : []));
  return [JSON.parse(ofImage), ...ofFiles.map(([_cmd, ...command]) => command)];
}

test('the health checks ask the port that the server listens on', async () => {
  const asked: string[] = [];
  const server = createServer(({ url = '' }, response) => {
    asked.push(url);
    response.writeHead(asked.length % 2 === 1 ? 200 : 503).end();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  try {
    const { port } = server.address() as AddressInfo;
    const checks = await healthChecks();
    expect(checks).toHaveLength(2);
    for (const [program, ...args] of checks) {
      expect(program).toBe('node');
      const exitCode = () =>
        new Promise((done) => {
          const env = { MNEME_PORT: String(port) };
          execFile(process.execPath, args, { env }, (error) => done(error === null ? 0 : error.code));
        });
      expect([await exitCode(), await exitCode()]).toEqual([0, 1]);
    }
    expect(asked).toEqual(Array.from({ length: 4 }, () => '/v3/health'));
    // Without the setting, or with the address that container platforms put there, the server listens on the default port.
    for (const MNEME_PORT of [undefined, '', 'tcp://10.0.0.1:6767']) {
      expect(loadConfig({ MNEME_PORT }).config.port).toBe(6767);
      for (const [, , code = ''] of checks) {
        const fetched: string[] = [];
        const fetch = (url: string) => {
          fetched.push(url);
          return new Promise(() => {});
        };
        runInNewContext(code, { process: { env: { MNEME_PORT } }, fetch });
        expect(fetched).toEqual(['http://127.0.0.1:6767/v3/health']);
      }
    }
  } finally {
    server.close();
  }
});

test('the image is built from the lock file, runs as an unprivileged user, and has a health check for every role', async () => {
  const dockerfile = await readFile(resolve(root, 'Dockerfile'), 'utf8');
  const [build, run] = dockerfile.split(/^FROM /m).slice(1) as [string, string];
  expect(build).toContain('package-lock.json');
  expect(run).toMatch(/^USER node$/m);
  expect(run.indexOf('USER node')).toBeLessThan(run.indexOf('CMD ["bin/serve.sh"]'));
  expect(run).toContain('HEALTHCHECK');
});

test('the image starts every role with the same memory options as npm', async () => {
  const { scripts } = JSON.parse(await readFile(resolve(root, 'package.json'), 'utf8')) as {
    scripts: Record<string, string>;
  };
  const memory = (command = '') => command.match(/--(max-semi-space-size|heap-growing-percent)=\d+/g);
  const folder = await mkdtemp(join(tmpdir(), 'mneme-image-'));
  try {
    // A fake node that prints its arguments.
    await writeFile(join(folder, 'node'), '#!/bin/sh\necho "$@"\n');
    await chmod(join(folder, 'node'), 0o755);
    const started = async (MNEME_ROLE?: string) => {
      const env = { PATH: `${folder}:${process.env.PATH}`, ...(MNEME_ROLE && { MNEME_ROLE }) };
      return (await promisify(execFile)(resolve(root, 'bin/serve.sh'), { env })).stdout;
    };
    expect(memory(await started('worker'))).toEqual(memory(scripts['start:worker']));
    for (const role of [undefined, 'api', 'all']) expect(memory(await started(role))).toEqual(memory(scripts.start));
    expect(await started()).toMatch(/\/bin\/run\.js apps\/server\/src\/main\.js$/m);
  } finally {
    await rm(folder, { recursive: true });
  }
});
