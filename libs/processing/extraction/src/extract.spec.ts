import fc from 'fast-check';
import { ExtractionError, extract, extractDocument } from './index.ts';

const read = (body: string | Uint8Array, kind = 'text', fileName: string | null = null) =>
  extract({ body, kind, fileName, documentDate: null });

describe('plain text', () => {
  test('is unchanged except for line ends', async () => {
    const { text } = await read('  One.\r\nTwo.\rThree. ');
    expect(text).toBe('  One.\nTwo.\nThree. ');
  });

  test('has characters replaced that databases cannot store', async () => {
    const { text } = await read('a \ud800 b \0 c');
    expect(text).toBe('a \ufffd b \ufffd c');
  });

  test('has embedded images removed', async () => {
    const { text } = await read(`A cat: ![cat](data:image/png;base64,${'iVBOR'.repeat(40)}) sits.`);
    expect(text).toBe('A cat: ![cat]() sits.');
  });

  test('is decoded from bytes, and a string has no encoding', async () => {
    const bytes = new TextEncoder().encode('naïve');
    expect(await read(bytes)).toMatchObject({ text: 'naïve', encoding: 'utf-8' });
    expect(await read('naïve')).toMatchObject({ text: 'naïve', encoding: null });
  });

  test('has characters removed that are not shown', async () => {
    expect((await read('\ufeffThe light\u200bhouse\u2060 keeps har\u00adbour\ufeff.')).text).toBe(
      'The lighthouse keeps harbour.',
    );
    expect((await read('name,note\nAnn,light\ufeffhouse', 'csv')).text).toBe('- name: Ann; note: lighthouse');
    expect((await read('<p>light&ZeroWidthSpace;house har&shy;bour</p>', 'html')).text).toBe('lighthouse harbour');
  });

  test.each(['text', 'markdown', 'csv', 'json', 'html'] as const)('blank %s is rejected', async (kind) => {
    await expect(read(' \n\t ', kind)).rejects.toThrow(ExtractionError);
    await expect(read(' \n\t ', kind)).rejects.toMatchObject({ code: 'extraction_failed' });
  });
});

describe('title', () => {
  test('the title is the file name, else the first heading, else the first sentence', async () => {
    expect((await read('# Birds #\n\nText.', 'text', 'birds.md')).title).toBe('birds.md');
    expect((await read('# Birds #\n\nText.')).title).toBe('Birds');
    expect((await read('The heron waits. It strikes.')).title).toBe('The heron waits.');
    expect(
      (
        await read(
          'Salt marsh\n\nArrival, 3 September\n\nCame over the causeway an hour before high water. The hut is dry and the stove works.',
        )
      ).title,
    ).toBe('Salt marsh');
    expect((await read('user: Where is my parcel?\nassistant: On its way.')).title).toBe('Where is my parcel?');
  });

  test('long titles are cut between words', async () => {
    const { title } = await read('lengthy words '.repeat(100));
    expect(title?.length).toBeLessThanOrEqual(100);
    expect(title).toMatch(/(lengthy|words)…$/);
  });
});

describe('CSV', () => {
  test('every record becomes a line with header and values', async () => {
    const { text } = await read('name,note\r\nAnn,"likes ""old"" maps,\nand trains"\r\nBob,\r\n', 'csv');
    expect(text).toBe('- name: Ann; note: likes "old" maps, and trains\n\n- name: Bob');
  });

  test('supports other delimiters and a missing header', async () => {
    expect((await read('name;age\nAnn;34', 'csv')).text).toBe('- name: Ann; age: 34');
    expect((await read('Ann\t34\nBob\t35', 'csv')).text).toBe('- Ann; 34\n\n- Bob; 35');
  });

  test('every record becomes a memory', async () => {
    const { text, memories } = await extractDocument({
      body: 'name,city\nAnn,Oslo\nBob,Bergen',
      kind: 'csv',
      fileName: null,
      documentDate: null,
    });
    expect(memories.map((memory) => text.slice(memory.start, memory.end))).toEqual([
      '- name: Ann; city: Oslo',
      '- name: Bob; city: Bergen',
    ]);
  });

  test('a quote that nothing closes is a character', async () => {
    expect((await read('a,"b\nc', 'csv')).text).toBe('- a; "b\n\n- c');
  });
});

describe('JSON', () => {
  test('messages of common shapes become a transcript, also in a JSON string', async () => {
    const messages = [
      { role: 'user', content: 'Hi', timestamp: '2023-05-08T13:56:00Z' },
      { role: 'assistant', content: [{ type: 'text', text: 'Hello' }, { type: 'image_url' }] },
      { author: { role: 'user' }, content: { parts: ['Two', 'parts'] } },
      { from: 'Ann (sales): team', message: 'Yes' },
      { role: 'tool', content: null },
    ];
    const expected = '[8 May 2023, 13:56] user: Hi\nassistant: Hello\n[image]\nuser: Two\nparts\nAnn (sales) team: Yes';
    expect((await read(JSON.stringify(messages))).text).toBe(expected);
    expect((await read(JSON.stringify(messages), 'json')).text).toBe(expected);
    expect((await read(JSON.stringify({ messages: messages.slice(0, 2) }), 'json')).text).toBe(
      '[8 May 2023, 13:56] user: Hi\nassistant: Hello\n[image]',
    );
  });

  test('messages in JSON lines become a transcript', async () => {
    expect((await read('{"role":"user","content":"Hi"}\n{"role":"assistant","content":"Yo"}\n', 'json')).text).toBe(
      'user: Hi\nassistant: Yo',
    );
  });

  test('other JSON becomes lines of paths and values', async () => {
    const value = {
      shop: 'Quill',
      tags: ['ink', 'paper'],
      orders: [
        { item: 'pen', count: 2 },
        { item: 'nib', paid: true },
      ],
    };
    expect((await read(JSON.stringify(value), 'json')).text).toBe(
      '- shop: Quill\n- tags: ink, paper\n\n- orders > item: pen; count: 2\n\n- orders > item: nib; paid: true',
    );
  });

  test('numbers stay as they are written, also in JSON lines and beside texts that look like them', async () => {
    const written =
      '{"id": 12345678901234567890, "rate": -1.10, "large": 1E5, "none": -0, "few": [1.0, 2], "name": "1.10, \\"2.0"}';
    const lines =
      '- id: 12345678901234567890\n- rate: -1.10\n- large: 1E5\n- none: -0\n- few: 1.0, 2\n- name: 1.10, "2.0';
    expect((await read(written, 'json')).text).toBe(lines);
    expect((await read('{"id": 9007199254740993}\n{"id": 1.50}\n', 'json')).text).toBe(
      '- id: 9007199254740993\n\n- id: 1.50',
    );
  });

  test('a time may be a number with any digits', async () => {
    const messages =
      '[{"user": "Ann", "text": "Hi", "ts": 1709627400.100000}, {"user": "Bo", "text": "Yo", "ts": "1709627401.000200"}]';
    expect((await read(messages, 'json')).text).toBe('[5 March 2024, 08:30] Ann: Hi\n[5 March 2024, 08:30] Bo: Yo');
  });

  test('JSON with a malformed number is read as plain text', async () => {
    expect((await read('{"a": 1.10, "b": 01}', 'json')).text).toBe('{"a": 1.10, "b": 01}');
  });

  test('malformed and empty JSON is read as plain text', async () => {
    expect((await read('{"a": [1,', 'json')).text).toBe('{"a": [1,');
    expect((await read('{}', 'json')).text).toBe('{}');
    expect((await read('null', 'json')).text).toBe('null');
  });

  test('deeply nested JSON does not overflow the stack', async () => {
    const deep = `${'{"a":['.repeat(20_000)}"found"${']}'.repeat(20_000)}`;
    expect((await read(deep, 'json')).text).toContain('found');
  });
});

describe('HTML', () => {
  const page =
    '<!doctype html><html><head><title>Birds &amp; fish</title><style>p { color: red }</style></head><body>' +
    '<nav><a href="/">Home</a></nav><h1>The <em>heron</em></h1><script>alert("no")</script><p>It waits at the ' +
    '<a href="https://example.org">pier</a>.</p><ul><li>patient</li><li>grey</li></ul>' +
    '<table><tr><th>Year</th><th>Nests</th></tr><tr><td><p>2024</p></td><td>7</td></tr></table></body></html>';

  test.each(['html', 'text'] as const)('a page sent as %s is reduced to its text', async (kind) => {
    const { text, title } = await read(page, kind);
    expect(title).toBe('Birds & fish');
    expect(text.split('\n').map((line) => line.trim())).toEqual([
      '# The heron',
      '',
      'It waits at the pier.',
      '',
      '- patient',
      '- grey',
      '',
      '| Year | Nests',
      '| 2024 | 7',
    ]);
  });

  test('a text with a few tags is not HTML', async () => {
    expect((await read('<b> makes text bold, </b> ends it. Use it rarely.')).text).toContain('<b>');
    expect((await read('<script>only code</script>')).text).toBe('<script>only code</script>');
  });

  test('a page without text is rejected', async () => {
    await expect(read('<script>only code</script>', 'html')).rejects.toThrow(ExtractionError);
  });

  test('tags are stripped from too deeply nested elements, and their text is kept', async () => {
    const { text } = await read(`${'<div>'.repeat(50_000)}deep &amp; far<script>no</script>`, 'html');
    expect(text.trim()).toBe('deep & far');
  });
});

test('extraction of any string succeeds or throws ExtractionError', async () => {
  const junk = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.string({ unit: 'grapheme' }),
    fc.json(),
    fc
      .array(fc.constantFrom('<p>', '</', '<!--', '"', ',', '\n', '\r', '{', ']', ': ', 'a', '\ud800', '# ', '```'))
      .map((parts) => parts.join('')),
  );
  await fc.assert(
    fc.asyncProperty(junk, fc.constantFrom('text', 'markdown', 'csv', 'json', 'html'), async (body, kind) => {
      try {
        const { text, chunks, memories } = await extractDocument({ body, kind, fileName: null, documentDate: null });
        expect(text.isWellFormed()).toBe(true);
        expect(chunks.length).toBeGreaterThan(0);
        expect(memories.length).toBeGreaterThan(0);
      } catch (error) {
        if (!(error instanceof ExtractionError)) throw error;
      }
    }),
    { numRuns: 300 },
  );
});
