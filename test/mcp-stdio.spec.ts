import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage } from 'node:http';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { parse } from 'smol-toml';
import { listen } from './support/listen.ts';
import { eventually, Mneme, OWNER_KEY } from './support/mneme.ts';

/** `mneme mcp`: what a program notices that starts it. */

const BIN = resolve(import.meta.dirname, '../bin/mneme.js');
const started: Command[] = [];

let mneme: Mneme;
beforeAll(async () => {
  mneme = await Mneme.start();
});
afterAll(async () => {
  for (const command of started) command.process.kill('SIGKILL');
  await mneme.stop();
});

/** The command, with what it answers. */
class Command {
  readonly process: ChildProcessWithoutNullStreams;
  readonly answers: Record<string, unknown>[] = [];
  errors = '';

  constructor(args: readonly string[], env: Record<string, string> = {}) {
    this.process = spawn(process.execPath, [BIN, 'mcp', ...args], { env: { PATH: process.env.PATH, ...env } });
    createInterface({ input: this.process.stdout }).on('line', (line) => this.answers.push(JSON.parse(line)));
    this.process.stderr.on('data', (piece) => {
      this.errors += piece;
    });
    started.push(this);
  }

  send(message: object | string): void {
    this.process.stdin.write(
      `${typeof message === 'string' ? message : JSON.stringify({ jsonrpc: '2.0', ...message })}\n`,
    );
  }

  answerTo(id: number | null): Promise<Record<string, unknown>> {
    return eventually(async () => this.answers.find((answer) => answer.id === id) ?? null);
  }

  /** Closes the input, and returns the exit code. */
  async end(): Promise<number | null> {
    const gone = once(this.process, 'close');
    this.process.stdin.end();
    const [code] = await gone;
    return code;
  }
}

const withKey = { MNEME_API_KEY: OWNER_KEY };
const CALL = (name: string, given: object = {}) => ({ method: 'tools/call', params: { name, arguments: given } });

interface Configured {
  readonly command?: string;
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

/** The programs that the configurations of the documentation start, and those that only name an address. */
function configured(): readonly Configured[] {
  const docs = readFileSync(resolve(import.meta.dirname, '../docs/agents.md'), 'utf8');
  return [...docs.matchAll(/^```(json|toml)\n([\s\S]*?)^```$/gm)].map(([, language, text = '']) => {
    const read = language === 'json' ? JSON.parse(text) : parse(text);
    return (read.mcpServers ?? read.servers ?? read.mcp_servers).mneme;
  });
}

test('every configuration of the documentation is valid, and those with a command start it', async () => {
  const servers = configured();
  const withCommand = servers.filter(({ command }) => command !== undefined);
  expect([servers.length, withCommand.length]).toEqual([7, 3]);
  for (const { command, args = [], env = {} } of withCommand) {
    expect([command, args.slice(0, 2), Object.keys(env)]).toEqual([
      'node',
      ['/path/to/mneme/bin/mneme.js', 'mcp'],
      ['MNEME_API_KEY'],
    ]);
    const started = new Command([...args.slice(2), '--url', mneme.url], withKey);
    started.send({ id: 1, ...CALL('whoAmI') });
    expect(await started.answerTo(1)).toMatchObject({ result: { structuredContent: { role: 'owner' } } });
    expect(await started.end()).toBe(0);
  }
});

test('messages pass in both directions, at the same time, until the input is closed', async () => {
  const command = new Command(['--url', mneme.url, '--container-tag', 'desk'], withKey);
  command.send({
    id: 1,
    method: 'initialize',
    params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 't', version: '1' } },
  });
  expect(await command.answerTo(1)).toMatchObject({
    result: { protocolVersion: '2025-06-18', serverInfo: { name: 'mneme' } },
  });
  command.send({ method: 'notifications/initialized' });
  for (let id = 2; id < 12; id += 1) command.send({ id, ...CALL('whoAmI') });
  for (let id = 2; id < 12; id += 1) {
    expect(await command.answerTo(id)).toMatchObject({ result: { structuredContent: { activeSpace: 'desk' } } });
  }
  command.send('{"jsonrpc": ');
  expect(await command.answerTo(null)).toMatchObject({ error: { code: -32_700 } });
  command.send({ id: 20, ...CALL('listSpaces') });
  expect(await command.end()).toBe(0);
  expect(command.answers).toContainEqual(expect.objectContaining({ id: 20, result: expect.anything() }));
  expect(command.errors).toBe('');
});

test('the key can come from a file; one that is not accepted is an answer to each request', async () => {
  const file = join(mneme.folder, 'agent.key');
  await writeFile(file, `${OWNER_KEY}\n`);
  const command = new Command(['--url', `${mneme.url}/mcp`, '--key-file', file]);
  command.send({ id: 1, ...CALL('whoAmI') });
  expect(await command.answerTo(1)).toMatchObject({ result: { structuredContent: { role: 'owner' } } });

  const refused = new Command(['--url', mneme.url], { MNEME_API_KEY: 'sm_wrong_0123456789abcdefgh' });
  refused.send({ id: 1, ...CALL('whoAmI') });
  expect(await refused.answerTo(1)).toMatchObject({ error: { code: -32_000, message: 'Invalid or expired token' } });
});

test.each([
  [[], {}, 'There is no key: set MNEME_API_KEY, or name a file with it by --key-file'],
  [['--key-file', '/nowhere/key'], {}, 'The key cannot be read: ENOENT'],
  [['--container-tag', 'büro'], withKey, '--container-tag must have visible ASCII characters alone'],
  [['--url', 'mneme.lan'], withKey, '--url must be an address like http://127.0.0.1:6767, not mneme.lan'],
])('%j with %j ends with one sentence', async (args, env, message) => {
  const command = new Command(args, env);
  expect(await command.end()).toBe(1);
  expect(command.errors).toMatch(new RegExp(`^${message}.*\n$`));
});

test('while the server does not answer, requests are answered with an error, and later ones with the server again', async () => {
  const server = createServer((_request, response) => response.writeHead(502).end('bad gateway'));
  const port = await listen(server);
  const command = new Command(['--url', `http://127.0.0.1:${port}`], withKey);
  command.send({ id: 1, ...CALL('whoAmI') });
  expect(await command.answerTo(1)).toMatchObject({ error: { message: expect.stringContaining('502') } });
  server.closeAllConnections();
  await new Promise((closed) => server.close(closed));
  command.send({ id: 2, ...CALL('whoAmI') });
  expect(await command.answerTo(2)).toMatchObject({
    error: {
      code: -32_000,
      message: expect.stringMatching(/^The Mneme server at http:\S+ cannot be asked: .*ECONNREFUSED/),
    },
  });
  const again = await Mneme.start({ env: { MNEME_PORT: String(port) } });
  command.send({ id: 3, ...CALL('whoAmI') });
  expect(await command.answerTo(3)).toMatchObject({ result: { structuredContent: { role: 'owner' } } });
  await again.stop();
});

test('a request that the program cancels is ended at the server', async () => {
  const open: IncomingMessage[] = [];
  let ended = 0;
  const server = createServer((request, response) => {
    open.push(request);
    response.on('close', () => {
      ended += 1;
    });
  });
  const command = new Command(['--url', `http://127.0.0.1:${await listen(server)}`], withKey);
  command.send({ id: 'a', ...CALL('whoAmI') });
  await eventually(async () => (open.length === 1 ? true : null));
  command.send({ method: 'notifications/cancelled', params: { requestId: 'a' } });
  await eventually(async () => (ended === 1 ? true : null));
  expect(await command.end()).toBe(0);
  expect(command.answers).toEqual([]);
  server.close();
});

test('a stream of changes ends with the program', async () => {
  const meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientCapabilities': {},
    'io.modelcontextprotocol/clientInfo': { name: 't', version: '1' },
  };
  const command = new Command(['--url', mneme.url], withKey);
  command.send({
    id: 1,
    method: 'subscriptions/listen',
    params: { _meta: meta, notifications: { toolsListChanged: true } },
  });
  await eventually(async () => (command.answers.length > 0 ? true : null));
  expect(command.answers[0]).toMatchObject({ method: 'notifications/subscriptions/acknowledged' });
  expect(await command.end()).toBe(0);
});
