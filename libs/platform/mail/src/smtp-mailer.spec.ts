import type { SMTPServerOptions } from 'smtp-server';
import { openSmtpMailer } from '#platform/mail';
import { startSmtpServer } from './testing/smtp-server.ts';

const mail = { to: 'ada@example.com', subject: 'Invitation to Café', text: 'Open this link.\n' };

let close: () => Promise<void> = async () => {};
afterEach(() => close());

/** Starts a mail server and returns its URL and what it has got. */
async function start(options: SMTPServerOptions = {}, credentials = '') {
  const server = await startSmtpServer(options);
  close = server.close;
  return { got: server.got, url: `smtp://${credentials}127.0.0.1:${server.port}` };
}

const open = (url: string) =>
  openSmtpMailer({ url, from: 'Mneme <mneme@example.com>', publicUrl: 'https://memory.example', pauseMs: 1 });

test('a mail arrives with sender, recipient, subject and text', async () => {
  const { got, url } = await start();
  expect(await (await open(url)).send(mail)).toBeNull();
  expect(got).toMatchObject([{ from: 'mneme@example.com', to: ['ada@example.com'] }]);
  expect(got[0]?.text).toContain('From: Mneme <mneme@example.com>');
  expect(got[0]?.text).toMatch(/^Subject: =\?UTF-8\?/m);
  expect(got[0]?.text).toContain('Open this link.');
});

test('the credentials of the URL are used', async () => {
  const seen: unknown[] = [];
  const onAuth: SMTPServerOptions['onAuth'] = ({ username, password }, _session, done) => {
    seen.push([username, password]);
    done(null, { user: username });
  };
  const { url } = await start({ authOptional: false, onAuth, allowInsecureAuth: true }, 'mneme:p%40ss@');
  expect(await (await open(url)).send(mail)).toBeNull();
  expect(seen).toEqual([['mneme', 'p@ss']]);
});

test('a mail that is refused for now is sent again', async () => {
  let refusals = 0;
  const { got, url } = await start({
    onRcptTo(_address, _session, done) {
      if (refusals++ < 2) done(Object.assign(new Error('Busy'), { responseCode: 451 }));
      else done();
    },
  });
  expect(await (await open(url)).send(mail)).toBeNull();
  expect(got).toHaveLength(1);
});

test('a mail that is refused for good is not sent again, and the reason is returned', async () => {
  let refusals = 0;
  const { url } = await start({
    onRcptTo(_address, _session, done) {
      refusals += 1;
      done(Object.assign(new Error('No such user'), { responseCode: 550 }));
    },
  });
  expect(await (await open(url)).send(mail)).toContain('No such user');
  expect(refusals).toBe(1);
});

test('without a mail server the reason is returned, without credentials', async () => {
  const { url } = await start({}, 'mneme:secret@');
  await close();
  close = async () => {};
  const reason = await (await open(url)).send(mail);
  expect(reason).toContain('ECONNREFUSED');
  expect(reason).not.toContain('secret');
});
