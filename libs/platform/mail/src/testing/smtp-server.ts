import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';

export interface ReceivedMail {
  readonly from: string;
  readonly to: readonly string[];
  /** Headers and text, without the encoding of the transport. */
  readonly text: string;
}

/** A mail server that knows everybody but `nobody@…`. */
export async function startSmtpServer(options: SMTPServerOptions = {}) {
  const got: ReceivedMail[] = [];
  const server = new SMTPServer({
    ...{ authOptional: true, disabledCommands: ['STARTTLS'] },
    onRcptTo({ address }, _session, done) {
      if (address.startsWith('nobody@')) done(Object.assign(new Error('No such user'), { responseCode: 550 }));
      else done();
    },
    onData(stream, { envelope: { mailFrom, rcptTo } }, done) {
      const parts: Buffer[] = [];
      stream.on('data', (part: Buffer) => parts.push(part));
      stream.on('end', () => {
        const from = mailFrom === false ? '' : mailFrom.address;
        // Long lines are continued after `=`.
        const text = Buffer.concat(parts).toString().replaceAll('=\r\n', '');
        got.push({ from, to: rcptTo.map(({ address }) => address), text });
        done();
      });
    },
    ...options,
  });
  server.on('error', () => {});
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.server.address() as AddressInfo;
  return { got, port, close: () => new Promise<void>((closed) => void server.close(closed)) };
}
