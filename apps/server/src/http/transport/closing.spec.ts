import { connect } from 'node:net';
import { listen, startTestApp } from '../testing/fake-application.ts';

test('close() does not wait for a connection without a request', async () => {
  const other = await startTestApp();
  const { hostname, port } = new URL(await listen(other));
  const accepted = new Promise((resolve) => other.app.getHttpServer().once('connection', resolve));
  const socket = connect(Number(port), hostname);
  socket.on('error', () => {});
  const closed = new Promise((resolve) => socket.once('close', resolve));
  await accepted;
  await other.app.close();
  await closed;
});
