import { detectKind, extractDocument } from '../index.ts';

const read = async (message: string) => {
  const body = Buffer.from(message.replaceAll('\n', '\r\n'));
  expect(await detectKind({ bytes: body, fileName: 'a.eml', contentType: 'text/plain' })).toMatchObject({
    kind: 'eml',
  });
  return extractDocument({ body, kind: 'eml', fileName: null, documentDate: null });
};
const multipart = (parts: readonly string[]) =>
  'From: Ann <ann@example.org>\nTo: Bo <bo@example.org>\nSubject: The ferry\n' +
  `Content-Type: multipart/mixed;\n boundary="a b"\n\n${parts.map((part) => `--a b\n${part}\n`).join('')}--a b--\n`;
const TEXT = 'Content-Type: text/plain\n\nIt leaves at noon.';
const attachment = (name: string) => `Content-Disposition: attachment; filename=${name}\n\n0`;

test('an e-mail in parts is read without MIME-Version', async () => {
  const { text, title } = await read(multipart([TEXT, attachment('plan.bin')]));
  expect(title).toBe('The ferry');
  expect(text.trim()).toBe('# The ferry\n\nFrom: Ann\nTo: Bo\nAttachments: plan.bin\n\nIt leaves at noon.');
});

test('a text that begins like an e-mail is not one without the type of a message in parts', async () => {
  const bytes = Buffer.from('From: Ann\nTo: Bo\nSubject: x\nContent-Type: text/plain\n\nWords');
  expect(await detectKind({ bytes, fileName: 'a.txt', contentType: null })).toMatchObject({ kind: 'text' });
});

test('an e-mail with very many parts is refused', async () => {
  const many = multipart([TEXT, ...new Array(300_000).fill(attachment('a'))]);
  await expect(read(many)).rejects.toMatchObject({
    code: 'extraction_too_large',
    message: 'The e-mail has more than 10000 parts. Split it into smaller files and upload these.',
  });
});

test('an e-mail with a thousand attachments is read', async () => {
  const { text } = await read(multipart([TEXT, ...new Array(1_000).fill(attachment('a'))]));
  expect(text).toContain('It leaves at noon.');
});

describe('characters', () => {
  const RUSSIAN = 'Паром уходит в семь часов утра с восточного причала. Билеты продают в деревянном домике.';
  const CP1251 = Buffer.from(
    'cfe0f0eeec20f3f5eee4e8f220e220f1e5ecfc20f7e0f1eee220f3f2f0e020f120e2eef1f2eef7edeee3ee20eff0e8f7e0ebe02e20c1e8ebe5f2fb20eff0' +
      'eee4e0fef220e220e4e5f0e5e2ffededeeec20e4eeece8eae52e',
    'hex',
  );
  const message = (body: Uint8Array, type: string, coding = '8bit', subject: string | Buffer = 'The ferry') =>
    Buffer.concat([
      Buffer.from('Received: from x\r\nFrom: Ann <ann@example.org>\r\nTo: Bo <bo@example.org>\r\nSubject: '),
      Buffer.from(subject),
      Buffer.from(`\r\nContent-Type: ${type}\r\nContent-Transfer-Encoding: ${coding}\r\n\r\n`),
      body,
    ]);
  const extracted = (body: Buffer) => extractDocument({ body, kind: 'eml', fileName: null, documentDate: null });

  test.each([
    ['declared', 'text/plain; charset="windows-1251"'],
    ['not declared', 'text/plain'],
    ['declared as ASCII', 'text/plain; charset=us-ascii'],
    ['declared as UTF-8', 'text/plain; charset=UTF-8'],
    ['of an unknown name', 'text/plain; charset=x-unknown'],
  ])('a charset that is %s', async (_, type) => {
    const { text, encoding } = await extracted(message(CP1251, type));
    expect(text).toContain(RUSSIAN);
    expect(encoding).toBe('windows-1251');
  });

  test('UTF-8 that is declared as something else is UTF-8', async () => {
    const { text, encoding } = await extracted(message(Buffer.from(RUSSIAN), 'text/plain; charset=koi8-r'));
    expect(text).toContain(RUSSIAN);
    expect(encoding).toBe('utf-8');
  });

  test('encoded texts are decoded alike', async () => {
    const base64 = Buffer.from(CP1251.toString('base64'));
    const quoted = Buffer.from(
      Array.from(CP1251, (byte) => `=${byte.toString(16).toUpperCase()}`.padEnd(3, '0')).join(''),
    );
    expect((await extracted(message(base64, 'text/plain', 'base64'))).text).toContain(RUSSIAN);
    expect((await extracted(message(quoted, 'text/plain', 'quoted-printable'))).text).toContain(RUSSIAN);
  });

  test('a page without a charset in its part declares its own', async () => {
    const page = Buffer.concat([
      Buffer.from('<html><head><meta charset=windows-1251></head><body><p>'),
      CP1251.subarray(0, 5),
    ]);
    expect((await extracted(message(page, 'text/html'))).text).toContain('Паром');
  });

  test('a header may have the charset of the text', async () => {
    const { title } = await extracted(
      message(CP1251, 'text/plain;\r\n charset=windows-1251', '8bit', CP1251.subarray(0, 5)),
    );
    expect(title).toBe('Паром');
  });

  test('parts in several charsets have no encoding in common', async () => {
    const parts = [
      'Content-Type: text/plain; charset=koi8-r\r\n\r\n\xf0\xc1\xd2\xcf\xcd',
      'Content-Type: text/plain; charset=windows-1252\r\n\r\ncaf\xe9',
    ];
    const body = Buffer.from(`${parts.map((part) => `--b\r\n${part}\r\n`).join('')}--b--\r\n`, 'latin1');
    const { text, encoding } = await extracted(message(body, 'multipart/mixed; boundary=b'));
    expect(text).toMatch(/Паром\s+café/);
    expect(encoding).toBeNull();
  });

  test('an attachment of an unknown encoding is named', async () => {
    const parts = [
      'Content-Type: text/plain\r\n\r\nIt leaves at noon.',
      'Content-Type: text/plain\r\nContent-Disposition: attachment; filename=a.txt\r\n\r\n\x9d\x81',
    ];
    const body = Buffer.from(`${parts.map((part) => `--b\r\n${part}\r\n`).join('')}--b--\r\n`, 'latin1');
    expect((await extracted(message(body, 'multipart/mixed; boundary=b'))).text).toContain('Attachments: a.txt');
  });
});
