import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { CFB } from '@e965/xlsx';
import { detectKind, extractDocument } from '../../index.ts';
import { entryAt, outlookOf, storedRtf } from '../../testing/outlook.ts';

/** E-mails of Outlook that other programs wrote (`test/fixtures/mail`). */

const FIXTURES = join(import.meta.dirname, '../../../../../../test/fixtures/mail');
const fixture = (name: string) => readFileSync(join(FIXTURES, name));

async function readBytes(body: Buffer) {
  const detected = await detectKind({ bytes: body, fileName: 'unknown.bin', contentType: null });
  expect(detected).toEqual({ kind: 'msg', type: 'text' });
  const { text, ...rest } = await extractDocument({ body, kind: 'msg', fileName: 'a.msg', documentDate: null });
  return { ...rest, lines: text.split('\n').flatMap((line) => line.replace(/ +/g, ' ').trim() || []) };
}

test.each<[string, readonly string[]]>([
  [
    'aspose-forwarded.msg',
    [
      ...['# Fwd: Fwd: The lighthouse', 'From: Orla', 'To: Bram', 'Cc: Ebba', 'Date: 2024-03-05T08:30:00.000Z'],
      ...['Attachments: lamp.bin', 'Who has a lamp?'],
      ...['## Fwd: The lighthouse', 'From: Dan', 'To: Bram', 'Date: 2024-03-04T08:30:00.000Z', 'See what Cara says.'],
      ...[
        '### The lighthouse – café',
        'From: Cara',
        'To: Bram',
        'Date: 2024-03-03T08:30:00.000Z',
        'The lamp is broken.',
      ],
    ],
  ],
  [
    'aspose-page.msg',
    [
      ...['# Harbour news', 'From: Orla', 'To: Bram', 'Date: 2024-03-05T08:30:00.000Z'],
      'The crane on pier four is closed until the 19th of April.',
    ],
  ],
  [
    'aspose-code-page.msg',
    [
      ...['# Kran', 'From: Jörg', 'To: Bram', 'Date: 2024-03-05T08:30:00.000Z'],
      'Der Kran ist bis März gesperrt. Die Fähre fährt über Nacht.',
    ],
  ],
  [
    'msgforge-rtf.msg',
    [
      ...['# Harbour news', 'From: Orla', 'To: Bram', 'Cc: ebba@example.org', 'Date: 2024-03-05T08:30:00.000Z'],
      ...['Attachments: plan.txt', 'The crane on pier four is closed & locked.', '| Berth | Draught – max'],
    ],
  ],
  [
    'oxmsg-news.msg',
    [
      ...['# Hafen: Kräne', 'From: Orla', 'To: Bram', 'Cc: Ebba', 'Date: 2024-03-05T08:30:00.000Z'],
      ...['Attachments: Plan für März.txt', 'Der Kran an Pier vier ist bis zum 19. April gesperrt.'],
    ],
  ],
])('%s', async (name, lines) => {
  const found = await readBytes(fixture(name));
  expect(found.lines).toEqual(lines);
  expect(found).toMatchObject({ title: lines[0]?.slice(2), author: lines[1]?.slice(6), date: expect.any(String) });
});

function cfbOf(stream: string): Buffer {
  const file = CFB.utils.cfb_new();
  CFB.utils.cfb_add(file, `/${stream}`, Buffer.alloc(600));
  return Buffer.from(CFB.write(file, { type: 'buffer' }));
}

const SUBJECT = { '0037001F': 'Kran' };

describe('texts in compressed RTF', () => {
  const bodyOf = async (streams: Parameters<typeof outlookOf>[0]) => {
    const { lines } = await readBytes(outlookOf({ ...SUBJECT, ...streams }));
    return lines.slice(1);
  };
  const PAGE =
    '{\\rtf1\\ansi\\ansicpg1251\\fromhtml1 \\deff0{\\fonttbl{\\f0\\fswiss\\fcharset204 Arial;}}' +
    "{\\*\\htmltag64 <p>}\\htmlrtf {\\htmlrtf0 \\'ca\\'f0\\'e0\\'ed \\u8211 - 9 t\\htmlrtf\\par}\\htmlrtf0{\\*\\htmltag72 </p>}" +
    '{\\*\\htmltag64 <p style="display:none">}SECRET{\\*\\htmltag72 </p>}}';

  test('of a page', async () => {
    expect(await bodyOf({ '10090102': storedRtf(PAGE) })).toEqual(['Кран – 9 t']);
  });

  test('of a page, packed', async () => {
    const packed = fixture('msgforge-rtf.msg');
    // Without the page that is stored besides.
    packed.set(Buffer.from('__substg1.0_1FFF0102', 'utf16le'), entryAt(packed, '__substg1.0_10130102'));
    expect((await readBytes(packed)).lines.slice(6)).toEqual([
      'The crane on pier four is closed & locked.',
      '| Berth | Draught – max',
    ]);
  });

  test('of words', async () => {
    const rtf = storedRtf('{\\rtf1\\ansi The ferry leaves at seven.\\par {\\v SECRET}Bicycles are free.}');
    expect(await bodyOf({ '10090102': rtf })).toEqual(['The ferry leaves at seven.', 'Bicycles are free.']);
    expect(await bodyOf({ '10090102': rtf, '1000001F': 'Bicycles are free, and the ferry leaves at seven.' })).toEqual([
      'Bicycles are free, and the ferry leaves at seven.',
    ]);
  });

  test('that state a wrong length', async () => {
    const rtf = storedRtf('{\\rtf1\\ansi The ferry leaves at seven.}');
    rtf.writeUInt32LE(0x7fffffff, 0);
    expect(await bodyOf({ '10090102': rtf })).toEqual(['The ferry leaves at seven.']);
  });

  test('with very many groups inside each other', async () => {
    const rtf = storedRtf(`{\\rtf1\\ansi\\fromhtml1 ${'{'.repeat(500)}The ferry leaves at seven.${'}'.repeat(500)}}`);
    expect(await bodyOf({ '10090102': rtf })).toEqual(['The ferry leaves at seven.']);
  });
});

test('marks of the subject and of names are left out, and recipients may be displayed only', async () => {
  const streams = { '0037001F': '\u0001\u0005Re: Kran', '0C1A001F': "'orla@example.org'", '0E04001F': "Bram; 'Ebba'" };
  expect((await readBytes(outlookOf({ ...streams, '1000001F': 'Yes.\r\n' }))).lines).toEqual([
    ...['# Re: Kran', 'From: orla@example.org', 'To: Bram, Ebba', 'Yes.'],
  ]);
});

test('a message with a Word document is one', async () => {
  const document = cfbOf('WordDocument');
  const { lines } = await readBytes(
    outlookOf({
      ...SUBJECT,
      '__attach_version1.0_#00000000/37010102': document,
      '__attach_version1.0_#00000000/3707001F': 'a.doc',
    }),
  );
  expect(lines).toEqual(['# Kran', 'Attachments: a.doc']);
});

describe('damaged and hostile files end as failed, or are read', () => {
  const MESSAGE = outlookOf({
    ...{
      ...SUBJECT,
      '1000001F': 'The ferry leaves at seven. '.repeat(1_000),
      '__attach_version1.0_#00000000/3707001F': 'a.txt',
    },
    '__attach_version1.0_#00000000/3701000D/0037001F': 'Inner',
  });
  const BODY = entryAt(MESSAGE, '__substg1.0_1000001F');
  const ATTACHMENT = entryAt(MESSAGE, '__attach_version1.0_#00000000');
  const INNER = entryAt(MESSAGE, '__substg1.0_3701000D');
  const FIRST_ENTRY = (MESSAGE.readUInt32LE(48) + 1) * 512;
  const numberOf = (entry: number) => (entry - FIRST_ENTRY) / 128;
  const changed = (...places: readonly (readonly [at: number, value: number])[]): Buffer => {
    const file = Buffer.from(MESSAGE);
    for (const [at, value] of places) file.writeUInt32LE(value, at);
    return file;
  };
  const extracted = (body: Buffer) => extractDocument({ body, kind: 'msg', fileName: null, documentDate: null });
  const failed = {
    code: 'extraction_failed',
    message: expect.stringContaining('cannot be read as an e-mail of Outlook'),
  };

  test.each([
    [
      'a sector that follows itself',
      changed([
        (MESSAGE.readUInt32LE(76) + 1) * 512 + MESSAGE.readUInt32LE(BODY + 116) * 4,
        MESSAGE.readUInt32LE(BODY + 116),
      ]),
    ],
    [
      'a directory that follows itself',
      changed([(MESSAGE.readUInt32LE(76) + 1) * 512 + MESSAGE.readUInt32LE(48) * 4, MESSAGE.readUInt32LE(48)]),
    ],
    ['tables of sectors without an end', changed([68, 0], [512 + 508, 0])],
    ['an entry beside itself', changed([BODY + 68, numberOf(BODY)])],
    ['two entries beside each other', changed([BODY + 68, numberOf(ATTACHMENT)], [ATTACHMENT + 68, numberOf(BODY)])],
    ['an attachment that holds its message', changed([INNER + 76, numberOf(ATTACHMENT)])],
    ['an entry that is not there', changed([INNER + 76, 100_000])],
    ['a text longer than the file', changed([BODY + 120, 100_000_000])],
    ['sectors of another size', changed([30, 40])],
    ['half of a file', MESSAGE.subarray(0, MESSAGE.length / 2)],
    ['the beginning of a file', MESSAGE.subarray(0, 300)],
  ])('%s', async (_, file) => {
    await expect(extracted(file)).rejects.toMatchObject(failed);
  });

  test('texts of more bytes than are read of a file', async () => {
    await expect(extracted(changed([BODY + 120, 400_000_000]))).rejects.toMatchObject({ code: 'extraction_too_large' });
  });

  test('bytes changed anywhere', async () => {
    const outcomes = new Set<string>();
    let random = 42;
    for (let i = 0; i < 100; i++) {
      const file = Buffer.from(MESSAGE);
      for (let k = 0; k < 20; k++) {
        random = (random * 1_103_515_245 + 12_345) % 2 ** 31;
        const at = k % 2 === 0 ? random % file.length : FIRST_ENTRY + (random % 2_048);
        file[at] = random >> 8;
      }
      outcomes.add(
        await extracted(file).then(
          () => 'read',
          ({ code }) => String(code),
        ),
      );
    }
    expect([...outcomes].filter((one) => !['read', 'extraction_failed', 'extraction_too_large'].includes(one))).toEqual(
      [],
    );
  });
});
