import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { eventually, until } from '../../../../../platform/kernel/src/testing/eventually.ts';
import type { Source } from '../../connector.ts';
import { toolsFor } from '../../testing/connector-tools.ts';
import { idsOf, listAll, readItem } from '../../testing/read-source.ts';
import { RcloneDaemon } from './daemon.ts';
import { hasRclone } from './program.ts';
import { rclone } from './rclone.ts';

const isInstalled = hasRclone(process.env);
const PASSWORD = 'secret';

let base: string;
let port: number;
let served: ChildProcess;

/** Serves the folder `data` by WebDAV, as a Nextcloud would, and configures remotes. */
async function serve(): Promise<void> {
  const holder = createServer().listen(0, '127.0.0.1');
  await once(holder, 'listening');
  port = (holder.address() as AddressInfo).port;
  await new Promise((closed) => holder.close(closed));
  const options = [
    '--addr',
    `127.0.0.1:${port}`,
    '--user',
    'u',
    '--pass',
    PASSWORD,
    '--dir-cache-time',
    '0s',
    '--config',
    '',
  ];
  served = spawn('rclone', ['serve', 'webdav', join(base, 'data'), ...options], { stdio: 'ignore' });
  const obscured = execFileSync('rclone', ['obscure', PASSWORD], { encoding: 'utf8' }).trim();
  const wrong = execFileSync('rclone', ['obscure', 'another'], { encoding: 'utf8' }).trim();
  const dav = (pass: string) =>
    `type = webdav\nurl = http://127.0.0.1:${port}\nvendor = other\nuser = u\npass = ${pass}`;
  const config = `[dav]\n${dav(obscured)}\n\n[wrong]\n${dav(wrong)}\n\n[disk]\ntype = alias\nremote = ${join(base, 'data')}\n`;
  await writeFile(join(base, 'rclone.conf'), config);
  await eventually(async () => (await fetch(`http://127.0.0.1:${port}/`).catch(() => null))?.status ?? null);
}

const write = async (files: Readonly<Record<string, string>>) => {
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(base, 'data', path)), { recursive: true });
    await writeFile(join(base, 'data', path), text);
  }
};

if (!isInstalled) {
  test.skip('remotes of rclone (SKIPPED: rclone is not installed)', () => {});
} else {
  describe('remotes of rclone', () => {
    let opened: Source[] = [];
    const former = process.env.RCLONE_CONFIG;
    beforeAll(async () => {
      base = await mkdtemp(join(tmpdir(), 'mneme-rclone-'));
      await write({ 'team/a.md': 'one', 'team/sub/b [c]%+ ä.md': 'two', 'other/secret.md': 'secret' });
      await symlink(join(base, 'data', 'other'), join(base, 'data', 'team', 'link'));
      process.env.RCLONE_CONFIG = join(base, 'rclone.conf');
      await serve();
    }, 120_000);
    afterEach(async () => {
      await Promise.all(opened.splice(0).map((source) => source.close()));
    });
    afterAll(async () => {
      if (former === undefined) delete process.env.RCLONE_CONFIG;
      else process.env.RCLONE_CONFIG = former;
      const exit = once(served, 'exit');
      served.kill('SIGKILL');
      await exit;
      await rm(base, { recursive: true, force: true });
    });

    const open = async (remote: string, path = ''): Promise<Source> => {
      const connector = rclone(toolsFor({ MNEME_RCLONE: JSON.stringify([{ name: 'team', remote }]) }));
      const read = connector.readSetup({ remote: 'team', path }, 'o1');
      if (!read.ok) throw new Error(read.error.message);
      const source = await connector.open({
        ...{ connection: 'c1', organization: 'o1', setup: read.value.setup },
        secrets: { get: async () => null, put: async () => undefined },
      });
      opened = [...opened, source];
      return source;
    };

    test.each(['dav:team', 'disk:team'])(
      'files of %s are listed and read, and change their version',
      async (remote) => {
        const source = await open(remote);
        const before = await listAll(source);
        expect(idsOf(before).filter((id) => !id.startsWith('link/'))).toEqual(['a.md', 'sub/b [c]%+ ä.md']);
        const [a, b] = before.items as [(typeof before.items)[0], (typeof before.items)[0]];
        expect(a).toMatchObject({ path: '/a.md', title: 'a.md', size: 3, link: null, owner: null });
        expect(await readItem(source, a)).toBe('one');
        expect(await readItem(source, before.items.find(({ id }) => id.startsWith('sub/')) as typeof b)).toBe('two');
        await write({ 'team/a.md': 'other' });
        const after = await listAll(source);
        await write({ 'team/a.md': 'one' });
        expect(after.items[0]?.version).not.toBe(a.version);
        expect(after.items.at(-1)?.version).toBe(before.items.at(-1)?.version);
        for (const id of ['gone.md', '../other/secret.md', './a.md', 'sub//b']) {
          await expect(readItem(source, { ...a, id })).rejects.toMatchObject({ code: 'item_unreadable' });
        }
      },
      120_000,
    );

    test('a connection may begin below the entry', async () => {
      expect((await listAll(await open('dav:', 'team/sub'))).items).toMatchObject([
        { id: 'team/sub/b [c]%+ ä.md', path: '/team/sub/b [c]%+ ä.md' },
      ]);
      expect(idsOf(await listAll(await open('disk:team', 'sub')))).toEqual(['sub/b [c]%+ ä.md']);
    }, 120_000);

    test('links of a disk are neither followed nor begun at', async () => {
      expect(idsOf(await listAll(await open('disk:team')))).toEqual(['a.md', 'sub/b [c]%+ ä.md']);
      await expect(listAll(await open('disk:', 'team/link'))).rejects.toMatchObject({ code: 'source_lost' });
    }, 120_000);

    test('a folder, a remote or a permission that is not there is lost', async () => {
      const lost = { code: 'source_lost' };
      await expect(listAll(await open('dav:gone'))).rejects.toMatchObject(lost);
      await expect(listAll(await open('dav:', 'team/gone'))).rejects.toMatchObject(lost);
      await expect(listAll(await open('nothing:'))).rejects.toMatchObject(lost);
      await expect(listAll(await open('wrong:team'))).rejects.toMatchObject(lost);
    }, 120_000);
  });

  test('the process serves only who has its password, for as long as it is used', async () => {
    const daemon = new RcloneDaemon(process.env);
    const release = daemon.use();
    const { url, authorization } = await daemon.address();
    expect((await fetch(`${url}rc/noop`, { method: 'POST' })).status).not.toBe(200);
    expect((await fetch(`${url}core/version`, { method: 'POST' })).status).not.toBe(200);
    expect((await fetch(`${url}core/version`, { method: 'POST', headers: { authorization } })).status).toBe(200);
    const second = daemon.use();
    await release();
    expect(await daemon.address()).toMatchObject({ url });
    await second();
    await until(async () => (await fetch(url).catch(() => null)) === null);
  }, 120_000);
}

describe('a setup', () => {
  const tools = (organizations?: readonly string[]) =>
    toolsFor({ MNEME_RCLONE: JSON.stringify([{ name: 'team', remote: 'dropbox:Team', organizations }]) });

  test('names an entry and a path below it', () => {
    expect(rclone(tools()).readSetup({ remote: 'team', path: 'a' }, 'o1')).toMatchObject({
      value: { setup: { entry: 'team', path: 'a' }, secrets: {} },
    });
    expect(rclone(tools(['o2'])).readSetup({ remote: 'team' }, 'o1')).toMatchObject({ error: { field: 'remote' } });
  });

  test.each(['dropbox:', ':local:/etc', '-v', '--config', 'team:', 'team,x=y:', ''])('with %j is refused', (remote) => {
    expect(rclone(tools()).readSetup({ remote }, 'o1')).toMatchObject({ ok: false, error: { field: 'remote' } });
  });

  test.each(['..', 'a/../../b', '-', './a'])('with the path %j is kept below the entry', (path) => {
    const read = rclone(tools()).readSetup({ remote: 'team', path }, 'o1');
    expect(read).toMatchObject(path === '-' ? { ok: true } : { ok: false, error: { field: 'path' } });
  });
});

test('it is missing without entries, and without the program', () => {
  expect(rclone(toolsFor({})).missing).toContain('MNEME_RCLONE');
  expect(hasRclone({ PATH: '/nowhere' })).toBe(false);
});
