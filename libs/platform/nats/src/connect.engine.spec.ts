import { once } from 'node:events';
import { createServer, type Server } from 'node:net';
import { jest } from '@jest/globals';
import { eventually } from '../../kernel/src/testing/eventually.ts';
import { connectNats, NatsUnreachableError, NatsUnsuitableError } from './index.ts';
import { type NatsServer, startNatsServer } from './testing/nats-server.ts';

const name = 'test';
let server: NatsServer | null = null;
let fake: Server | null = null;

afterEach(async () => {
  jest.restoreAllMocks();
  await server?.remove();
  server = null;
  fake?.close();
  fake = null;
});

test.each([
  ['', 0],
  [', also if the clock was set back meanwhile', -3_600_000],
])('it reconnects after an outage of the server%s', async (_, difference) => {
  server = await startNatsServer();
  const connection = await connectNats({ url: server.url, name });
  connection.subscribe('echo', { callback: (_, message) => void message.respond(message.data) });
  await server.kill();
  const { now } = Date;
  jest.spyOn(Date, 'now').mockImplementation(() => now() + difference);
  await server.restart();
  await eventually(() => connection.request('echo', 'x', { timeout: 1_000 }).catch(() => null));
  await connection.close();
});

test('the error for an unreachable server names it without credentials', async () => {
  server = await startNatsServer();
  const { host } = new URL(server.url.replace('nats:', 'http:'));
  await server.kill();
  const rejected = connectNats({ url: `nats://user:secret@${host}`, name });
  await expect(rejected).rejects.toThrow(NatsUnreachableError);
  await expect(rejected).rejects.toThrow(host);
  await expect(rejected).rejects.not.toThrow(/secret/);
});

test('wrong credentials are rejected at once', async () => {
  server = await startNatsServer(['-js', '--user', 'me', '--pass', 'right']);
  const { host } = new URL(server.url.replace('nats:', 'http:'));
  await expect(connectNats({ url: `nats://me:wrong@${host}`, name })).rejects.toThrow(NatsUnreachableError);
  const connection = await connectNats({ url: `nats://me:right@${host}`, name });
  await connection.close();
});

test('a server without JetStream is rejected', async () => {
  server = await startNatsServer([]);
  const rejected = connectNats({ url: server.url, name });
  await expect(rejected).rejects.toThrow(NatsUnsuitableError);
  await expect(rejected).rejects.toThrow(/has no JetStream/);
});

test('a server that is too old is rejected', async () => {
  fake = createServer((socket) => {
    socket.write('INFO {"server_id":"x","version":"2.8.4","headers":true,"max_payload":1048576}\r\n');
    socket.on('data', (text) => {
      if (text.includes('PING')) socket.write('PONG\r\n');
    });
    socket.on('error', () => undefined);
  }).listen(0, '127.0.0.1');
  await once(fake, 'listening');
  const { port } = fake.address() as { port: number };
  const rejected = connectNats({ url: `nats://127.0.0.1:${port}`, name });
  await expect(rejected).rejects.toThrow(/is version 2\.8\.4; 2\.9 or newer is needed/);
});
