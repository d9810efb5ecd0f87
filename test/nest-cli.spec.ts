import { globSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { Checkout, serverSettings } from './support/checkout.ts';

/** What nest-cli.json says is true: its commands work, and none writes into a build that a process runs from. */

const ROOT = resolve(import.meta.dirname, '..');
const CONFIG = JSON.parse(readFileSync(join(ROOT, 'nest-cli.json'), 'utf8')) as {
  projects: Record<string, { type: string; root: string; sourceRoot: string }>;
};

let checkout: Checkout;
beforeAll(async () => {
  checkout = await Checkout.copy();
});
afterAll(() => checkout.remove());

const nest = (...args: readonly string[]) => checkout.run('nest', ...args);

/** The compiled code by its path, without the link to the source map, whose line ends differ, and without the bundle. */
function codeIn(folder: string): Map<string, string> {
  const root = join(checkout.root, 'dist', folder);
  const files = (readdirSync(root, { recursive: true }) as string[])
    .filter((file) => file.endsWith('.js') && !file.startsWith('bundled'))
    .sort();
  const codeOf = (file: string) =>
    readFileSync(join(root, file), 'utf8').replace(/\s+\/\/# sourceMappingURL=\S+\s*$/, '');
  return new Map(files.map((file) => [file, codeOf(file)]));
}

test('its projects are the applications and libraries', () => {
  const names = (type: string) =>
    Object.entries(CONFIG.projects)
      .filter(([, project]) => project.type === type)
      .map(([name, { root, sourceRoot }]) => [name, root, sourceRoot]);
  const apps = globSync('apps/*/src/main.ts', { cwd: ROOT })
    .sort()
    .map((main) => dirname(dirname(main)));
  const libs = globSync('libs/**/src/index.ts', { cwd: ROOT })
    .map((index) => dirname(dirname(index)))
    .sort();
  expect(names('application')).toEqual(apps.map((root) => [root.slice('apps/'.length), root, `${root}/src`]));
  expect(names('library')).toEqual(libs.map((root) => [root.slice('libs/'.length), root, `${root}/src`]));
});

test('nest build compiles what npm run build does, and leaves that build as it is', async () => {
  const name = await checkout.build();
  const built = codeIn(name);
  expect(await nest('build')).toMatchObject({ code: 0 });
  expect(checkout.current()).toBe(name);
  expect(codeIn('nest')).toEqual(built);
  expect(codeIn(name)).toEqual(built);
  const run = await checkout.run(process.execPath, 'dist/nest/apps/cli/src/main.js', '--version');
  expect(run).toEqual({ code: 0, out: expect.stringMatching(/^\d+\.\d+\.\d+\n$/), err: '' });
});

test('nest start serves the present sources, from a build that the next nest build does not change, also with the name of a project', async () => {
  await checkout.change('apps/server/src/greeting.ts', (source) =>
    source.replace(/\w+ listens on/, 'Started listens on'),
  );
  const server = checkout.start('nest', ['start', 'server'], serverSettings(checkout, 'data'));
  const [, url] = await server.shows(/Started listens on (http:\S+)/);
  const before = codeIn(checkout.current());
  expect(await nest('build', 'kernel')).toMatchObject({ code: 0 });
  expect(codeIn('nest')).toEqual(before);
  expect(codeIn(checkout.current())).toEqual(before);
  expect((await fetch(`${url}/v3/health`)).status).toBe(200);
  await server.end();
  expect(server.output).not.toMatch(/Error/);
});
