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
