import { chmodSync, chownSync, cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { Mneme } from './support/mneme.ts';
import { SmallDisk } from './support/small-disk.ts';
import { commandOf, runCommand } from './support/terminal.ts';

/** Starts that must fail: each says why in one sentence, once, and ends with exit code 1. */

const NOBODY = 65_534;
const isRoot = process.getuid?.() === 0;
const COMMANDS = {
  'npm start': commandOf('start'),
  'npm run start:worker': commandOf('start:worker'),
  'mneme doctor': `${process.execPath} bin/mneme.js doctor`,
} as const;
/** Never reached: the start is refused before. */
const DISTRIBUTED = {
  MNEME_EVENTSTORE_URL: 'esdb://127.0.0.1:1?tls=false',
  MNEME_NATS_URL: 'nats://127.0.0.1:1',
  MNEME_OPENSEARCH_URL: 'http://127.0.0.1:1',
};

let folder: string;
let taken: Server;
let takenPort: string;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'mneme-refusals-'));
  chmodSync(folder, 0o755);
  taken = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => taken.once('listening', resolve));
  takenPort = String((taken.address() as { port: number }).port);
});
afterAll(async () => {
  taken.close();
  rmSync(folder, { recursive: true, force: true });
});

const newPath = (() => {
  let count = 0;
  return (): string => {
    count += 1;
    return join(folder, `data-${count}`);
  };
})();

/** Runs a command that must fail, and returns what it prints. */
async function refused(command: keyof typeof COMMANDS, env: Record<string, string>, uid?: number): Promise<string> {
  const { code, out, err } = await runCommand(COMMANDS[command], {
    env: { MNEME_EMBEDDING: 'off', MNEME_PORT: '0', ...(command === 'npm run start:worker' && DISTRIBUTED), ...env },
    ...(uid !== undefined && { uid }),
  });
  expect({ code, out }).toEqual({ code: 1, out: '' });
  // One line, and no second one with the same error or a stack.
  expect(err.trim().split('\n')).toHaveLength(1);
  return err.trim().replace(/^Mneme cannot start: /, '');
}

test('a port that is in use, a host of another machine and an unknown host', async () => {
  const data = newPath();
  expect(await refused('npm start', { MNEME_DATA: data, MNEME_PORT: takenPort })).toBe(
    `Port ${takenPort} is in use. Stop the other process, or set MNEME_PORT to another port.`,
  );
  expect(await refused('npm run start:worker', { MNEME_DATA: newPath(), MNEME_PORT: takenPort })).toBe(
    `Port ${takenPort} is in use. Stop the other process, or set MNEME_PORT to another port.`,
  );
  expect(await refused('npm start', { MNEME_DATA: data, MNEME_HOST: '192.0.2.1' })).toBe(
    '192.0.2.1 is not an address of this machine. Set MNEME_HOST to one, e.g. 127.0.0.1.',
  );
  expect(await refused('npm start', { MNEME_DATA: data, MNEME_HOST: 'no-such-host.invalid' })).toBe(
    'The host no-such-host.invalid is unknown. Set MNEME_HOST to an address of this machine, e.g. 127.0.0.1.',
  );
  // None of these starts has used up the first one, which shows the owner key.
  const mneme = await Mneme.start({ folder: data, env: { MNEME_API_KEY: undefined } });
  try {
    expect(mneme.output.join('\n')).toMatch(/Owner key \(shown once, kept in .*owner\.key\): sm_\w+/);
    expect(await refused('npm start', { MNEME_DATA: data })).toBe(
      `The data folder ${data} is in use by process ${mneme.pid}. Stop it, or set MNEME_DATA to another folder.`,
    );
  } finally {
    await mneme.stop();
  }
});

test('a first start that fails after it has made the key leaves it to be shown by the next one', async () => {
  const data = newPath();
  const first = await Mneme.start({ folder: data, env: { MNEME_API_KEY: undefined } });
  await first.stop();
  // As a start leaves it that fails before it can show the key.
  cpSync(join(data, 'owner.key'), join(data, 'owner.key-new'));
  rmSync(join(data, 'owner.key'));
  const key = readFileSync(join(data, 'owner.key-new'), 'utf8').trim();
  const second = await Mneme.start({ folder: data, env: { MNEME_API_KEY: undefined } });
  await second.stop();
  expect(second.output.join('\n')).toContain(`kept in ${join(data, 'owner.key')}): ${key}`);
});

test.each(Object.keys(COMMANDS) as (keyof typeof COMMANDS)[])(
  '%s: data folders that cannot be used',
  async (command) => {
    const file = newPath();
    writeFileSync(file, '');
    expect(await refused(command, { MNEME_DATA: file })).toBe(
      `The data folder ${file} is a file, not a folder. Set MNEME_DATA to a folder that this user may write.`,
    );
    const foreign = newPath();
    mkdirSync(foreign, { mode: 0o500 });
    if (isRoot) chownSync(foreign, 1, 1);
    const reason = 'Change its owner or permissions, or set MNEME_DATA.';
    const readable = await refused(command, { MNEME_DATA: foreign, HOME: folder }, isRoot ? NOBODY : undefined);
    expect(readable).toMatch(
      command === 'mneme doctor'
        ? /^The data folder .* belongs to another user\.$|may not be used by this user/
        : `The data folder ${foreign} may not be used by this user. ${reason}`,
    );
  },
);

test('a data folder on a read-only file system', async () => {
  const disk = await SmallDisk.mount(1);
  if (disk === null) return;
  try {
    const data = join(disk.folder, 'data');
    mkdirSync(data);
    await disk.makeReadOnly();
    expect(await refused('npm start', { MNEME_DATA: data })).toBe(
      `The data folder ${data} is on a read-only file system. Set MNEME_DATA to a folder that this user may write.`,
    );
  } finally {
    await disk.unmount();
  }
});

test('files of another user in the data folder are named', async () => {
  const data = newPath();
  mkdirSync(data);
  writeFileSync(join(data, 'events.db'), '', { mode: 0o400 });
  if (isRoot) chownSync(data, NOBODY, NOBODY);
  expect(await refused('npm start', { MNEME_DATA: data }, isRoot ? NOBODY : undefined)).toMatch(
    `${join(data, 'events.db')} may not be used by this user.`,
  );
});

test.each(['npm start', 'mneme doctor'] as const)('%s: a damaged event log is named', async (command) => {
  const data = newPath();
  mkdirSync(data, { mode: 0o700 });
  writeFileSync(join(data, 'events.db'), 'This is not a database, but it is as long as the header of one. '.repeat(9));
  const sentence = `${join(data, 'events.db')} is damaged: file is not a database. Restore a backup`;
  if (command === 'npm start') {
    expect(await refused(command, { MNEME_DATA: data })).toContain(sentence);
    return;
  }
  // The other checks are made all the same.
  const { code, out } = await runCommand(COMMANDS[command], { env: { MNEME_DATA: data } });
  expect(code).toBe(1);
  expect(out).toMatch(/^FAILED event log .* is damaged: file is not a database/m);
});

test.each(['npm start', 'mneme doctor'] as const)('%s: an event log of an older form is refused', async (command) => {
  const data = newPath();
  mkdirSync(data, { mode: 0o700 });
  const log = new DatabaseSync(join(data, 'events.db'));
  log.exec('PRAGMA user_version = 1');
  log.close();
  const sentence = `${join(data, 'events.db')} has schema version 1, and this program reads 2 only: run the version that wrote`;
  if (command === 'npm start') {
    expect(await refused(command, { MNEME_DATA: data })).toContain(sentence);
    return;
  }
  const { code, out } = await runCommand(COMMANDS[command], { env: { MNEME_DATA: data } });
  expect(code).toBe(1);
  expect(out).toContain(sentence);
});

test('a data folder whose event log is missing', async () => {
  const data = newPath();
  const first = await Mneme.start({ folder: data });
  await first.stop();
  rmSync(join(data, 'events.db'));
  expect(await refused('npm start', { MNEME_DATA: data })).toMatch(
    /^The event log \S+events\.db is missing, to which .+ belong\. Restore it from a backup, or move what is left away/,
  );
});

test.each(Object.keys(COMMANDS) as (keyof typeof COMMANDS)[])(
  '%s: a misspelt setting gets a suggestion',
  async (command) => {
    expect(await refused(command, { MNEME_DATA_DIR: newPath() })).toBe(
      'MNEME_DATA_DIR is not a setting of Mneme. Did you mean MNEME_DATA?',
    );
  },
);
