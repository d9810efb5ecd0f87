import { readFixture, readUpload } from '../testing/uploads.ts';

/** Mails that other programs wrote, and inputs of bug reports (`test/fixtures/mail`). */

const inLines = ({ text, ...rest }: Awaited<ReturnType<typeof readUpload>>) => ({
  ...rest,
  lines: text.split('\n').flatMap((line) => line.trim() || []),
});
const readBytes = async (body: Buffer, fileName: string) => inLines(await readUpload(body, fileName));
const read = async (fileName: string) => inLines(await readFixture('mail', fileName));
const readText = (text: string) => readBytes(Buffer.from(text), 'unknown.bin');

const HEADER = ['From: Orla', 'To: Bram', 'Date: 2024-03-05T08:30:00.000Z'];

describe('a plain text that only stands in for the page gives way to it', () => {
  test.each<[string, readonly string[]]>([
    [
      'eml-stub-alternative.eml',
      [
        ...[
          '# Harbour news',
          ...HEADER,
          '# Harbour news',
          'The crane on pier four is closed until the 19th of April because of rust.',
        ],
        'Ships with more than nine metres draught berth at pier two.',
      ],
    ],
    [
      'n-eml-short-plain.eml',
      [
        '# Notice',
        ...HEADER,
        '| The crane on pier four is closed until the 19th of April.',
        '| Ships berth at pier two.',
      ],
    ],
    ['n-eml-empty-plain.eml', ['# Notice', ...HEADER, 'The crane on pier four is closed.']],
    ['n-eml-equal.eml', ['# Notice', ...HEADER, 'The crane on pier four is closed.']],
    [
      'nodemailer-stub.eml',
      [
        ...['# Harbour news', ...HEADER, 'The crane on pier four is closed until the 19th of April.'],
        ...['| Berth  | Draught', '| two  | nine metres'],
      ],
    ],
    [
      'python-stub.eml',
      [
        ...['# Harbour news', ...HEADER, 'The piers open later.'],
        ...[5, 6, 7, 8].map((pier) => `| Pier ${pier}  | open from ${pier} o'clock`),
      ],
    ],
    [
      'mimetext-stub.eml',
      ['# Neuigkeiten aus dem Hafen', ...HEADER, '# Hafen', 'Der Kran an Pier vier ist bis zum 19. April gesperrt.'],
    ],
  ])('%s', async (name, lines) => {
    const found = await read(name);
    expect(found.lines.join(' ').replace(/ +/g, ' ')).toBe(lines.join(' ').replace(/ +/g, ' '));
  });

  const mail = (plain: string, html: string) =>
    `Received: from x\nFrom: Orla <orla@example.org>\nTo: Bram <bram@example.org>\nSubject: News\nContent-Type: multipart/alternative; boundary=b\n\n` +
    `--b\nContent-Type: text/plain; charset=utf-8\n\n${plain}\n--b\nContent-Type: text/html; charset=utf-8\n\n${html}\n--b--\n`;
  const PAGE =
    '<h1>News</h1><p>The crane on pier four is closed until the 19th of April, and the ferry leaves at eight.</p>';

  test.each([
    ['in another language', 'Diese E-Mail im Browser ansehen: https://example.org/a', PAGE],
    [
      'longer than the page',
      'To read this message you need a program that shows pages. Ask your administrator for one.',
      '<p>The ferry leaves at eight from pier two.</p>',
    ],
    [
      'with the first words of the page',
      'News: The crane on pier four is closed. Read on: https://example.org/a',
      `${PAGE}<p>Ships with more than nine metres draught berth at pier two. Bicycles wait at the gate.</p>`,
    ],
    [
      'with the footer of the page',
      'Harbour Office, 12 Quay Road, Galway. You receive this message because you asked for news of the harbour. This message needs HTML.',
      '<p>The crane on pier four is closed until April.</p><p>Harbour Office, 12 Quay Road, Galway. You receive this message because you asked for news of the harbour.</p>',
    ],
    ['in Chinese', '请在浏览器中查看此邮件。', '<p>四号码头的起重机关闭至四月十九日。渡轮早上八点出发。</p>'],
  ])('a plain text %s', async (_, plain, html) => {
    const text = (await readText(mail(plain, html))).lines.join(' ');
    expect(text).not.toContain(plain.slice(-12).trim());
  });

  test.each([
    [
      'the same words',
      'News\n\nThe crane on pier four is closed until the 19th of April,\nand the ferry leaves at eight.',
      PAGE,
    ],
    [
      'a page of little more',
      'The crane on pier four is closed until the 19th of April, and the ferry leaves at eight.',
      `${PAGE.replaceAll('crane', 'cr&shy;ane').replaceAll('ferry', 'fer&#8203;ry')}<p>Unsubscribe here</p>`,
    ],
    [
      'a page of pictures',
      'The crane on pier four is closed until the 19th of April, and the ferry leaves at eight.',
      '<img src=a><p>Imprint</p>',
    ],
    ['a page without words', 'The ferry leaves at eight.', '<img src=a>'],
  ])('a plain text with %s is read', async (_, plain, html) => {
    const { lines } = await readText(mail(`${plain}\nPLAIN`, html));
    expect(lines.at(-1)).toBe('PLAIN');
  });

  test('hidden words of a page in a mail are left out, also where the mail has plain parts besides', async () => {
    const page = '<p>The ferry leaves at eight.</p><p style="display:none">SECRET</p>';
    const text = mail('', page).replace('alternative', 'mixed').replace('\n\n\n--b', '\n\nBring a lamp.\n--b');
    expect((await readText(text)).lines.slice(3)).toEqual(['Bring a lamp.', 'The ferry leaves at eight.']);
  });
});

describe('forwarded messages are read, each with its header', () => {
  test.each<[string, readonly string[]]>([
    [
      'python-forwarded.eml',
      [
        ...['# Fwd: Fwd: The lighthouse', ...HEADER, 'Attachments: lamp.bin', 'Who has a lamp?'],
        ...['## Fwd: The lighthouse', 'From: Dan', 'To: Bram', 'Date: 2024-03-04T08:30:00.000Z', 'See what Cara says.'],
        ...['### The lighthouse', 'From: Cara', 'To: Bram', 'Date: 2024-03-03T08:30:00.000Z', 'The lamp is broken.'],
      ],
    ],
    [
      'nodemailer-forwarded.eml',
      [
        ...['# Fwd: Keys', ...HEADER, 'Please read this.'],
        ...[
          '## Keys of the gate – café',
          'From: Cara',
          'To: Orla',
          'Date: 2024-03-04T10:00:00.000Z',
          'Attachments: plan.txt',
        ],
        ...['The keys hang in the café.', 'From seven to nine.'],
      ],
    ],
    [
      'python-digest.eml',
      [
        ...['# Harbour digest', ...HEADER],
        ...['Cara', 'Dan', 'Ebba'].flatMap((name, i) => [
          ...[`## Report ${i + 1}`, `From: ${name}`, 'To: Bram', `Date: 2024-03-0${i + 1}T08:30:00.000Z`],
          `${name} saw ${i + 1} seals.`,
        ]),
      ],
    ],
  ])('%s', async (name, lines) => {
    expect((await read(name)).lines).toEqual(lines);
  });

  test('the mail around them gives title, author and date', async () => {
    expect(await read('python-forwarded.eml')).toMatchObject({
      ...{ title: 'Fwd: Fwd: The lighthouse', author: 'Orla', date: '2024-03-05T08:30:00.000Z' },
    });
  });

  const nested = (depth: number): string =>
    `From: a@example.org\nSubject: Level ${depth}\nMIME-Version: 1.0\n${
      depth === 0
        ? '\nThe end.\n'
        : `Content-Type: multipart/mixed; boundary=b${depth}\n\n--b${depth}\nContent-Type: message/rfc822; name=level.eml\n\n${nested(depth - 1)}\n--b${depth}--\n`
    }`;

  test('a message inside of more than ten is named', async () => {
    const { lines } = await readText(nested(500));
    expect(lines).toContain('###### Level 490');
    expect(lines.at(-1)).toBe('Attachments: level.eml');
    expect(lines.join(' ')).not.toContain('The end.');
  });

  test('the messages of a file are limited', async () => {
    const part = '--b\nContent-Type: message/rfc822\n\nFrom: a\n\nx\n';
    const digest = (parts: number) =>
      `From: a\nSubject: x\nMIME-Version: 1.0\nContent-Type: multipart/mixed; boundary=b\n\n${part.repeat(parts)}--b--\n`;
    await expect(readText(digest(300_000))).rejects.toMatchObject({ code: 'extraction_too_large' });
    expect((await readText(digest(300))).lines.filter((line) => line === '## (no subject)')).toHaveLength(300);
  });
});

describe('a mailbox is read message by message', () => {
  const header = (subject: string, day: number, from: string) => [
    ...[`# ${subject}`, `From: ${from}`, 'To: Bram', `Date: 2024-03-0${day}T08:30:00.000Z`],
  ];

  test('python-mailbox.mbox', async () => {
    const { kind, lines, chunks } = await read('python-mailbox.mbox');
    expect(kind).toBe('mbox');
    expect(lines).toEqual([
      ...header('First mail', 1, 'Orla'),
      ...['The ferry leaves at seven.', 'From the north pier it takes an hour.', 'From: here on, walk.'],
      ...header('Second mail', 2, 'Cara'),
      // This program does not mark the mark of the message itself.
      ...['Bicycles are free.', 'From a friend: bring a lamp.'],
      ...header('(no subject)', 3, 'Dan'),
      'The lamp is broken.',
    ]);
    expect(chunks).toHaveLength(3);
  });

  test('git-patches.mbox', async () => {
    const { lines } = await read('git-patches.mbox');
    expect(lines.filter((line) => /^# |^Date:|^From/.test(line))).toEqual(
      ['[PATCH 1/2] List the piers', '[PATCH 2/2] List the lamps'].flatMap((subject, i) => [
        ...[`# ${subject}`, 'From: Cara', 'Date: 2024-03-05T08:30:00.000Z'],
        `From the office comes a list of ${i === 0 ? 'piers' : 'lamps'}.`,
      ]),
    );
  });

  test('with the marks of mail programs, line ends of Windows, and messages in parts', async () => {
    const mailbox = `From - Tue Mar 05 09:30:00 2024
X-Mozilla-Status: 0001
From: Orla <orla@example.org>
Subject: Plan
Content-Type: multipart/alternative; boundary=b

--b
Content-Type: text/plain

View this in your browser
--b
Content-Type: text/html

<p>The ferry leaves at seven from the north pier.</p>
--b--

From the north pier
it takes an hour.

From MAILER-DAEMON
From: Cara <cara@example.org>
Subject: Lamps

>>From here on, walk.
`;
    expect((await readText(mailbox.replaceAll('\n', '\r\n'))).lines).toEqual([
      ...['# Plan', 'From: Orla', 'The ferry leaves at seven from the north pier.'],
      ...['# Lamps', 'From: Cara', '>From here on, walk.'],
    ]);
  });

  test.each([
    ['words', 'From here to there.\n\nNote: bring a lamp.'],
    ['a name and lines of an address', 'From Orla\nFrom: Cork\nhere'],
  ])('%s are no mailbox', async (_, text) => {
    expect((await readText(text)).kind).toBe('text');
  });

  test('very many messages are refused, and many are read', async () => {
    const mailbox = (count: number) =>
      Array.from(
        { length: count },
        (_, i) =>
          `From a Tue Mar  5 09:30:00 2024\nFrom: a@example.org\nSubject: Mail ${i}\nDate: Tue, 05 Mar 2024 09:30:00 +0100\n\nThe lamp ${i} is lit.\n\n`,
      ).join('');
    expect((await readText(mailbox(3_000))).lines.filter((line) => line.startsWith('# Mail'))).toHaveLength(3_000);
    await expect(readText(mailbox(10_001))).rejects.toMatchObject({ code: 'extraction_too_large' });
  });
});
