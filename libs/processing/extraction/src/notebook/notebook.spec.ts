import { readFile } from 'node:fs/promises';
import { extract } from '../extract.ts';

const fixture = (name: string) =>
  readFile(new URL(`../../../../../test/fixtures/notes/${name}`, import.meta.url), 'utf8');
const read = (body: string, kind = 'json') => extract({ body, kind, fileName: null, documentDate: null });

const notebookOf = (cells: readonly object[], metadata: object = {}) =>
  JSON.stringify({ nbformat: 4, nbformat_minor: 5, metadata, cells });
const codeWith = (...outputs: readonly object[]) => ({ cell_type: 'code', source: 'run()', outputs });
const textOf = async (...outputs: readonly object[]) => {
  const { text } = await read(notebookOf([codeWith(...outputs)]));
  return text.replace('```\nrun()\n```', '').trim();
};

test.each(['json', 'text'])('a notebook of nbformat 4 in %s is its cells with what they have written', async (kind) => {
  const { text, title } = await read(await fixture('nbformat-4.ipynb'), kind);
  expect(title).toBe('Crane loads');
  expect(text).toBe(
    [
      '# Crane loads\n\nEvery load of March. scale',
      "```python\nloads = read('march.csv')\nloads.plot()\n```",
      '```\nread 12 loads\n100%|##########\n```',
      '| crane | tonnes \n| green | 40 ',
      "```\nKeyError Traceback (most recent call last)\nKeyError: 'jib'\n```",
    ].join('\n\n'),
  );
});

test('a notebook of nbformat 3', async () => {
  const { text, title } = await read(await fixture('nbformat-3.ipynb'));
  expect(title).toBe('Tide tables');
  expect(text).toBe(
    [
      '## Tide tables\n\nThe pier is dry at low water.',
      '```python\nprint(low_water())\n```',
      '```\nlow water at 06:40\n```',
      '```\ndatetime.time(6, 40)\n```',
      '```\nValueError: no tide\n```',
    ].join('\n\n'),
  );
});

test('what jupytext has written into the metadata is front matter', async () => {
  const frontMatter = { title: 'Harbour depths', tags: ['sounding', 'dredger'], author: 'Bo Lind' };
  const { text, ...found } = await read(await fixture('jupytext-front-matter.ipynb'));
  expect(found).toMatchObject({ frontMatter, title: 'Harbour depths', author: 'Bo Lind' });
  expect(text).toContain('tags: [sounding, dredger]\n');
  expect(text).not.toContain('jupytext');
});

test('a first cell with front matter is front matter', async () => {
  const raw = { cell_type: 'raw', source: ['---\n', 'title: Depths\n', 'tags: [dredger]\n', '---'] };
  const notebook = notebookOf([raw, { cell_type: 'markdown', source: '# Soundings' }], { title: 'Not this' });
  expect(await read(notebook)).toMatchObject({ title: 'Depths', frontMatter: { title: 'Depths', tags: ['dredger'] } });
});

test('a notebook that papermill has run: the table of a result, and why it stopped', async () => {
  const { text } = await read(await fixture('papermill-failed.ipynb'));
  expect(text).toContain('```python\n# Parameters\nfare = 4\n```');
  expect(text).toMatch(/passenger\s+euros\n0\s+child\s+4\n1\s+adult\s+8/);
  expect(text).toContain('RuntimeError: the cash box is empty');
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the codes of a terminal begin with it
  expect(text).not.toMatch(/\u001b|<style/);
});

describe('an output', () => {
  const result = (data: object) => ({ output_type: 'execute_result', data });

  test('has one of its kinds: Markdown, text that says more than the name of an object, a page, LaTeX', async () => {
    const named = { 'text/plain': ['<IPython.core.display.Object object>'] };
    const page = { 'text/html': '<b>forty</b> tonnes' };
    expect(await textOf(result({ ...named, ...page, 'text/markdown': '**forty**' }))).toBe('**forty**');
    expect(await textOf(result({ 'text/plain': '40', ...page }))).toBe('```\n40\n```');
    expect(await textOf(result({ ...named, ...page }))).toBe('forty tonnes');
    expect(await textOf(result({ ...named, 'text/latex': '$40 t$' }))).toBe('$40 t$');
  });

  test('has no bytes, and no names of objects', async () => {
    const png = { 'text/plain': '<Figure size 640x480 with 1 Axes>', 'image/png': 'iVBORw0KGgo'.repeat(99) };
    const inPage = { 'text/html': `<p>load</p><img src="data:image/png;base64,${'iVBORw0KGgo'.repeat(99)}">` };
    const widget = { 'application/vnd.jupyter.widget-view+json': { model_id: 'x' }, 'image/svg+xml': '<svg>x</svg>' };
    expect(await textOf(result(png), result(widget))).toBe('');
    expect(await textOf(result(inPage))).toBe('load');
  });

  test('of a control, and a page that is a program, are left out', async () => {
    const widget = { 'application/vnd.jupyter.widget-view+json': { model_id: 'x' } };
    expect(await textOf(result({ 'text/plain': 'HBox(children=(FloatProgress(value=0.0)))', ...widget }))).toBe('');
    expect(await textOf(result({ 'text/html': `<p>load</p><script>${'x'.repeat(1_000_000)}</script>` }))).toBe('');
    expect(await textOf(result({ 'text/plain': '[<matplotlib.lines.Line2D at 0x7f>]' }))).toBe('');
  });

  test('of a terminal is what stays on its lines', async () => {
    const stream = (text: string) => textOf({ output_type: 'stream', name: 'stdout', text });
    expect(await stream('\u001b[1;31mred\u001b[0m\r\n\u001b]0;title\u0007done\n')).toBe('```\nred\ndone\n```');
    expect(await stream('1%\u0008\u0008\r50%\r100%\nend\r')).toBe('```\n100%\nend\n```');
    expect(await stream('\u001b[2K\r\n')).toBe('');
  });

  test('is written without an end that it could have by itself', async () => {
    expect(await textOf(result({ 'text/plain': 'a\n```\nb' }))).toBe('````\na\n```\nb\n````');
  });
});

test('the title is the first heading without marks, unless the metadata have one', async () => {
  const cells = [
    { cell_type: 'code', source: '# no heading' },
    { cell_type: 'markdown', source: 'Text.\n\n## The **crane** `log` ##' },
  ];
  expect((await read(notebookOf(cells))).title).toBe('The crane log');
  expect((await read(notebookOf(cells, { title: 'Harbour' }))).title).toBe('Harbour');
  expect((await read(notebookOf(cells, { kernelspec: { language: 'no\nlanguage' } }))).text).toMatch(/^```\n# no/);
});

test('JSON that is no notebook stays JSON', async () => {
  expect((await read('{"nbformat": "four", "cells": [{"cell_type": "code"}]}')).text).toContain('- nbformat: four');
  expect((await read('{"nbformat": 4, "cells": 3}')).text).toContain('- cells: 3');
  expect(
    await read('{"nbformat": 4, "cells": [3, null, {}, {"cell_type": "code", "outputs": [1]}]}').catch(() => null),
  ).toBe(null);
});
