import { createServer } from 'node:net';
import { listen } from './listen.ts';

it('listens on a port as soon as another server has left it', async () => {
  const [former, next] = [createServer(), createServer()];
  const port = await listen(former);
  const refused = new Promise((resolve) => next.once('error', resolve));

  const listening = listen(next, port);
  expect(await refused).toMatchObject({ code: 'EADDRINUSE' });
  former.close();

  expect(await listening).toBe(port);
  next.close();
});

it('rejects what does not pass', async () => {
  await expect(listen(createServer(), 1_000_000)).rejects.toMatchObject({ code: 'ERR_SOCKET_BAD_PORT' });
});
