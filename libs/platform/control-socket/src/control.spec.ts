import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type JsonObject, mnemeError } from '#platform/kernel';
import { callControl } from './call.ts';
import { type ControlServer, serveControl } from './serve.ts';

let folder: string;
let server: ControlServer | null = null;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mneme-control-'));
});
afterEach(async () => {
  await server?.close();
  server = null;
  await rm(folder, { recursive: true });
});

class Refusal extends mnemeError('permanent', 'refused') {}

async function* echo(name: string, input: JsonObject): AsyncIterable<JsonObject> {
  if (name === 'fail') throw new Refusal('there is no such thing', { details: { name } });
  yield { name, input };
  yield { second: true };
}
const never = new AbortController().signal;
const ask = async (name: string, input: JsonObject = {}) => {
  const lines = await callControl(folder, name, input, never);
  if (lines === null) return null;
  const all: JsonObject[] = [];
  for await (const line of lines) all.push(line);
  return all;
};

test('a call is answered by lines, or by an error with its name, message, kind, code and details', async () => {
  server = await serveControl(folder, echo);
  const input = { a: 'one\u2028two\u2029\nthree' };
  expect(await ask('hello', input)).toEqual([{ name: 'hello', input }, { second: true }]);
  await expect(ask('fail')).rejects.toMatchObject({
    name: 'Refusal',
    message: 'there is no such thing',
    kind: 'permanent',
    code: 'refused',
    details: { name: 'fail' },
  });
});

test('a call without a server returns null, also after the server was closed', async () => {
  expect(await ask('hello')).toBeNull();
  server = await serveControl(folder, echo);
  await server.close();
  server = null;
  expect(await ask('hello')).toBeNull();
  expect(await readdir(folder)).toEqual([]);
});

test('only its owner may open the socket', async () => {
  server = await serveControl(folder, echo);
  expect((await stat(join(folder, 'control.sock'))).mode & 0o777).toBe(0o600);
});

test('a socket that a crashed process left behind is replaced', async () => {
  const path = join(folder, 'control.sock');
  const script = `require('node:net').createServer().listen(${JSON.stringify(path)}, () => process.kill(process.pid, 'SIGKILL'))`;
  await once(spawn(process.execPath, ['-e', script]), 'exit');
  expect(await readdir(folder)).toEqual(['control.sock']);
  expect(await ask('hello')).toBeNull();
  server = await serveControl(folder, echo);
  expect(await ask('hello')).toHaveLength(2);
});

test('a folder with a long path has its socket in another folder, which is removed at the end', async () => {
  const outer = folder;
  folder = join(folder, 'x'.repeat(120));
  await mkdir(folder);
  const before = new Set(await readdir(tmpdir()));
  // Simulates a crashed process, whose record and socket remain.
  const crashed = await serveControl(folder, echo);
  const again = await serveControl(folder, echo);
  expect(await ask('hello')).toHaveLength(2);
  await again.close();
  await crashed.close();
  const left = (await readdir(tmpdir())).filter((name) => !before.has(name) && /^mneme-......$/.test(name));
  expect(left).toEqual([]);
  expect(await readdir(folder)).toEqual([]);
  folder = outer;
});

test('aborting a call ends its operation', async () => {
  const ended = Promise.withResolvers<void>();
  server = await serveControl(folder, async function* (_name, _input, signal) {
    signal.addEventListener('abort', () => ended.resolve());
    yield { started: true };
    await once(signal, 'abort');
  });
  const giveUp = new AbortController();
  const lines = await callControl(folder, 'wait', {}, giveUp.signal);
  for await (const line of lines!) {
    expect(line).toEqual({ started: true });
    giveUp.abort();
  }
  await ended.promise;
});

test('aborting a call before its first line ends it without an error', async () => {
  const started = Promise.withResolvers<void>();
  server = await serveControl(folder, async function* (_name, _input, signal): AsyncIterable<JsonObject> {
    started.resolve();
    await once(signal, 'abort');
    yield* [];
  });
  const giveUp = new AbortController();
  const lines = await callControl(folder, 'wait', {}, giveUp.signal);
  await started.promise;
  giveUp.abort();
  for await (const line of lines!) expect(line).toBeUndefined();
});

test.each([
  ['before its answer', ''],
  ['in the middle of it', 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n'],
])('a server that ends %s rejects the call with a message for the operator', async (_when, sent) => {
  const ending = createServer((socket) => {
    socket.once('data', () => socket.end(sent));
  }).listen(join(folder, 'control.sock'));
  await once(ending, 'listening');
  await expect(ask('hello')).rejects.toMatchObject({
    code: 'control_failed',
    message: expect.stringContaining('ended'),
  });
  ending.close();
});

test('a server of another version rejects the call with version_mismatch', async () => {
  const other = createServer((socket) => {
    socket.once('data', () =>
      socket.end(
        'HTTP/1.1 200 OK\r\nconnection: close\r\n\r\n{"error":{"name":"VersionMismatchError","message":"The server is version 9"}}\n',
      ),
    );
  }).listen(join(folder, 'control.sock'));
  await once(other, 'listening');
  await expect(ask('hello')).rejects.toMatchObject({ code: 'version_mismatch', message: 'The server is version 9' });
  other.close();
});
