import { extract, extractDocument } from '../extract.ts';

const source = (body: string, kind: string) => ({ body, kind, fileName: null, documentDate: null });
const read = (body: string, kind = 'text') => extract(source(body, kind));

const NOTE = `---
title: Crane log
date: 2024-03-05
tags: [winch, overhaul]
aliases: [Jib diary]
author: Ann Berg
status: cancelled
summary: The overhaul was postponed to October.
---

The green crane lifts forty tonnes.
`;
const VALUES = {
  ...{ title: 'Crane log', date: '2024-03-05', tags: ['winch', 'overhaul'], aliases: ['Jib diary'] },
  ...{ author: 'Ann Berg', status: 'cancelled', summary: 'The overhaul was postponed to October.' },
};

test.each(['text', 'markdown'])('front matter of %s gives its values, and begins the text', async (kind) => {
  expect(await read(NOTE, kind)).toMatchObject({
    ...{ text: NOTE, frontMatter: VALUES, title: 'Crane log', author: 'Ann Berg', date: '2024-03-05', language: 'en' },
  });
});

test.each([
  ['line ends of Windows and a byte order mark', `\ufeff${NOTE.replaceAll('\n', '\r\n')}`],
  ['empty lines above', `\n \n${NOTE}`],
  ['spaces behind the marks', NOTE.replaceAll('---\n', '---  \n')],
  ['the other end', NOTE.replace('\n---\n', '\n...\n')],
])('%s do not matter', async (_, note) => {
  expect(await read(note)).toMatchObject({ text: NOTE, frontMatter: VALUES });
});

test('all of it is one memory and one chunk, apart from the text behind it', async () => {
  const long = NOTE.replace('to October.', `to October. ${'The jib is still in the yard of the builder. '.repeat(12)}`);
  for (const note of [NOTE, long]) {
    const { text, chunks, memories } = await extractDocument(source(note, 'markdown'));
    const frontMatter = text.split('---\n')[1]?.trim();
    const textOf = ({ start, end }: { start: number; end: number }) => text.slice(start, end);
    expect(memories.map(textOf)).toEqual([frontMatter, 'The green crane lifts forty tonnes.']);
    expect(chunks.map(textOf)).toEqual([frontMatter, 'The green crane lifts forty tonnes.']);
  }
});

test('the first heading is the title where it declares none, and the words of the text decide the language', async () => {
  const note =
    '---\ntags: [Kran, Winde]\nstatus: abgesagt\n---\n# The crane\n\nThe crane is green and lifts forty tonnes.\n';
  expect(await read(note)).toMatchObject({ title: 'The crane', language: 'en', author: null, date: null });
});

describe('values', () => {
  const valuesOf = async (lines: string) => (await read(`---\n${lines}\n---\nText.`)).frontMatter;

  test.each<[string, unknown]>([
    // As they are written, whatever a program could make of them.
    ['date: 2024-03-05T23:30:00+02:00', '2024-03-05T23:30:00+02:00'],
    ['date: !!timestamp 2024-03-05', '2024-03-05'],
    ['version: 1.10', '1.10'],
    ['number: 007', '007'],
    ['number: 12345678901234567890', '12345678901234567890'],
    ['time: 12:30:45', '12:30:45'],
    ['answer: no', 'no'],
    ['r: !r Sys.Date()', 'Sys.Date()'],
    // What JSON has.
    ['number: 7', 7],
    ['number: -0.5', -0.5],
    ['draft: True', true],
    ['list: []', []],
    ['params: {colour: red, sizes: [1, null]}', { colour: 'red', sizes: [1, null] }],
    ['name: constructor', 'constructor'],
    ['escaped: "F\\xE4hre \\ud800"', 'Fähre \ufffd'],
    ['lines: |-\n  first\n  second', 'first\nsecond'],
    ['folded: >-\n  first\n  second', 'first second'],
    ['link: "[[Other note]]"', '[[Other note]]'],
  ])('%s', async (line, value) => {
    expect(Object.values((await valuesOf(line)) ?? {})).toEqual([value]);
  });

  test('what is empty is left out, the last of equal names counts, and references are followed', async () => {
    expect(await valuesOf('aliases:\ntags: ~\nstatus: a\nstatus: b')).toEqual({ status: 'b' });
    expect(await valuesOf('base: &base {x: 1}\nmore: {<<: *base, y: 2}\nsame: *base')).toEqual({
      ...{ base: { x: 1 }, more: { x: 1, y: 2 }, same: { x: 1 } },
    });
    expect(await valuesOf('__proto__: x\ntags: [a]')).toEqual(JSON.parse('{"__proto__": "x", "tags": ["a"]}'));
  });

  test('the text is written without escapes and references', async () => {
    const { text } = await read('---\ntitle: "F\\xE4hre"\ntags: &tags [a, b]\nkeywords: *tags\n---\nText.');
    expect(text).toBe('---\ntitle: Fähre\ntags: [a, b]\nkeywords: [a, b]\n---\nText.');
  });

  test('the text gives the same values when it is read again', async () => {
    const lines =
      'version: "1.10"\nyes: "true"\nn: 1\nnothing: "~"\ntext: "a\\n\\n b: c\\n---\\n"\nlist: ["- x", "[y"]';
    const { text, frontMatter } = await read(`---\n${lines}\n---\nText.`);
    expect(await read(text)).toMatchObject({ text, frontMatter });
    expect(frontMatter).toMatchObject({ text: 'a\n\n b: c\n---\n', nothing: '~' });
  });
});

test('TOML of Hugo is read as YAML is', async () => {
  const lines =
    'title = "Crane"\ndate = 2024-03-05\nat = 2024-03-05T10:00:00+02:00\ntags = ["winch"]\nlong = 12345678901234567890';
  expect(await read(`+++\n${lines}\n[params]\ncolour = "red"\n+++\nText.`)).toMatchObject({
    frontMatter: {
      ...{ title: 'Crane', date: '2024-03-05', at: '2024-03-05T10:00:00+02:00', tags: ['winch'] },
      ...{ long: '12345678901234567890', params: { colour: 'red' } },
    },
    title: 'Crane',
    text: expect.stringContaining('tags: [winch]\n'),
  });
});

test.each([
  ['authors: [Ann Berg, {name: Bo Lind, email: bo@example.org}]', { author: 'Ann Berg, Bo Lind' }],
  ['author: {name: Ann Berg}', { author: 'Ann Berg' }],
  ['Title: 2024', { title: '2024' }],
  ['published: 2024-03-05 23:30', { date: '2024-03-05T23:30:00.000Z' }],
  ['lang: de-AT', { language: 'de' }],
  ['canonical_url: https://example.org/a', { canonicalUrl: 'https://example.org/a' }],
])('%s is a field of the document', async (line, fields) => {
  expect(await read(`---\n${line}\n---\nText.`)).toMatchObject(fields);
});

test.each([
  ['a divider', '---\n\nText.\n\n---\n\nMore.'],
  ['a divider above a heading', '---\nText\n---\nMore.'],
  ['empty front matter', '---\n\n---\nText.'],
  ['a list', '---\n- a: 1\n- b: 2\n---\nText.'],
  ['broken YAML', '---\ntitle: The crane: a log\ntags: [a\n---\nText.'],
  ['broken TOML', '+++\ntitle = The crane\n+++\nText.'],
  ['lines without an end', `---\ntitle: x\n${'a: b\n'.repeat(20)}`],
  ['front matter further down', 'Text.\n---\ntitle: x\n---\n'],
  // Hostile: each reference of the next line is ten of the line before; an object that holds itself; depth; size.
  [
    'references',
    `---\na0: &a0 [x]\n${[...Array(9).keys()].map((i) => `a${i + 1}: &a${i + 1} [${Array(10).fill(`*a${i}`).join()}]`).join('\n')}\n---\nText.`,
  ],
  ['a circle', '---\na: &a [*a]\n---\nText.'],
  ['depth', `---\na: ${'['.repeat(5_000)}\n---\nText.`],
  ['depth that is closed', `---\na: ${'['.repeat(50)}${']'.repeat(50)}\n---\nText.`],
  ['size', `---\na: ${'x '.repeat(11_000)}\n---\nText.`],
])('%s is text like any other', async (_, text) => {
  expect(await read(text)).toMatchObject({ text, frontMatter: null });
});
