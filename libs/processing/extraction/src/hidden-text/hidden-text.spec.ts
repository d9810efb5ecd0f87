import { readArticle } from '../article.ts';
import { htmlToText } from '../html.ts';
import { extractDocument } from '../index.ts';

const page = (body: string, style = '') =>
  `<!doctype html><html><head><title>Harbour</title><style>${style}</style></head><body><p>The ferry leaves at seven.</p>${body}</body></html>`;
const textOf = async (body: string, style?: string) => (await htmlToText(page(body, style))).text;
const styled = (style: string) => `<p style="${style}">SECRET</p>`;

describe('an element that a browser does not show is left out', () => {
  test.each([
    ['hidden', '<div hidden>SECRET</div>'],
    ['hidden=""', '<div hidden="">SECRET</div>'],
    ['a closed dialog', '<dialog>SECRET</dialog>'],
    ['a popover', '<div popover>SECRET</div>'],
    ['a template', '<template>SECRET</template>'],
    ['noscript', '<noscript>SECRET</noscript>'],
  ])('%s', async (_, body) => {
    expect(await textOf(body)).not.toContain('SECRET');
  });

  test.each([
    'display:none',
    'DISPLAY : NONE',
    'display:none!important',
    'color:red;display: none ! important',
    'dis\\70lay:n\\6fne',
    'display:/* block */none',
    'display&#58;none',
    'content:";display:block";display:none',
    'visibility:hidden',
    'visibility:collapse',
    'content-visibility:hidden',
    'opacity:0',
    'opacity:0.0;transition:opacity 1s',
    'opacity:0%',
    'filter:blur(1px) opacity(0%)',
    'width:0;height:0',
    'font-size:0',
    'font-size:0px',
    'font-size:1px;line-height:1px',
    'font-size:.01em',
    'font:0/0 a',
    'font:bold 0px Arial',
    'height:0;overflow:hidden',
    'width:0;height:0;overflow:hidden',
    'max-height:0px;overflow:hidden',
    'max-width:0;overflow-x:clip',
    'position:absolute;width:1px;height:1px;margin:-1px;padding:0;overflow:hidden;clip:rect(0,0,0,0);border:0',
    'position:absolute;clip:rect(1px, 1px, 1px, 1px)',
    'position:fixed;clip:rect(0 0 0 0)',
    'clip-path:inset(50%)',
    'clip-path: inset(100% 0 0 0)',
    'clip-path:circle(0)',
    'clip-path:polygon(0 0, 0 0, 0 0)',
    'text-indent:-9999px',
    'text-indent:-999em',
    'text-indent:100%;white-space:nowrap;overflow:hidden',
    'position:absolute;left:-9999px',
    'position:absolute;left:-100vw',
    'position:absolute; top : -10000px',
    'position:fixed;right:-2000px',
    'margin-left:-9999px',
    'transform:translateX(-9999px)',
    'transform:translate( -9999px , 0)',
    'transform:scale(0)',
    'scale:0',
  ])('style="%s"', async (style) => {
    expect(await textOf(styled(style.replaceAll('"', '&quot;')))).not.toContain('SECRET');
    expect(await textOf('<p class="note">SECRET</p>', `.note{${style.replace('&#58;', ':')}}`)).not.toContain('SECRET');
  });

  test.each([
    ['.x{display:none}', '<p class="a x b">SECRET</p>'],
    ['#x{display:none}', '<p id="x">SECRET</p>'],
    ['p.x { display: none }', '<p class=x>SECRET</p>'],
    ['.x.y{display:none}', '<p class="y x">SECRET</p>'],
    ['.a, .x, .b{display:none}', '<p class="x">SECRET</p>'],
    ['<!-- .x{display:none} -->', '<p class="x">SECRET</p>'],
    ['@charset "utf-8"; @import "a.css"; .x{display:none}', '<p class="x">SECRET</p>'],
    ['/* } */ .x{color:red;content:"}";display:none', '<p class="x">SECRET</p>'],
    ['.\\78 {display:none}', '<p class="x">SECRET</p>'],
    ['@media screen{.x{display:none}}', '<p class="x">SECRET</p>'],
    ['@media only screen and (min-width: 600px){.x{display:none}}', '<p class="x">SECRET</p>'],
    ['@media print, screen{.x{display:none}}', '<p class="x">SECRET</p>'],
    ['@media (width>=48rem) and (1300px > width){.x{display:none}}', '<p class="x">SECRET</p>'],
    ['.x{color:red;@media (600px <= width){display:none}}', '<p class="x">SECRET</p>'],
    ['@supports (display:grid){.x{display:none}}', '<p class="x">SECRET</p>'],
    ['@layer a{.x{display:none}}', '<p class="x">SECRET</p>'],
    ['.x{display:none!important}.x{display:block}', '<p class="x">SECRET</p>'],
    ['.x{display:none!important}', '<p class="x" style="display:block">SECRET</p>'],
    ['#x{display:none}.y{display:block}', '<p class="y" id="x">SECRET</p>'],
    ['.x{display:none}.x:hover{display:block}', '<p class="x">SECRET</p>'],
    ['@media print{.x{display:block}}.x{display:none}', '<p class="x">SECRET</p>'],
    ['@font-face{src:url(data:a;b{c})}.x{.y{color:red}display:none}', '<p class="x">SECRET</p>'],
  ])('%s', async (style, body) => {
    expect(await textOf(body, style)).not.toContain('SECRET');
  });

  test.each([
    ['a style sheet behind it', '<p class="x">SECRET</p><style>.x{display:none}</style>'],
    ['a style sheet without an end', '<p class="x">SECRET</p><style>.x{display:none}'],
    ['elements in it', '<div hidden><p>SECRET</p><div>SECRET</div>SECRET</div>'],
    ['elements without end tags', '<ul><li hidden>SECRET<li>Shown.</ul><p hidden>SECRET<div>Shown.</div>'],
    ['cells', '<table><tr><td>a<td hidden>SECRET<td>b<tr hidden><td>SECRET</table>Shown.'],
    ['a misplaced end tag', '<div hidden><table><tr><td></div>SECRET</td></tr></table></div>'],
    ['an end tag of words', '<b><div hidden></b>SECRET</div></b>'],
    ['the end of a page within', '<div hidden></body></html>SECRET'],
    ['an end that is missing', '<div><section hidden>SECRET</div>'],
    ['an empty element', '<div hidden />SECRET</div>'],
    ['a drawing in it', '<div hidden><svg><g/><path/></svg>SECRET</div>'],
    ['very many elements around it', `${'<div>'.repeat(500)}<p hidden>SECRET</p>${'</div>'.repeat(500)}`],
  ])('with %s', async (_, body) => {
    expect(await textOf(body)).not.toContain('SECRET');
  });
});

describe('what a browser shows is read', () => {
  test.each([
    ['aria-hidden', '<p aria-hidden="true">Shown</p>'],
    ['hidden=until-found', '<p hidden="until-found">Shown</p>'],
    ['details', '<details><summary>More</summary>Shown</details>'],
    ['an open dialog', '<dialog open>Shown</dialog>'],
    ['hidden with a style', '<p hidden style="display:block">Shown</p>'],
    ['a page that scripts show', '<body style="opacity:0"><p>Shown</p>'],
    ['what follows a hidden element', '<p hidden>a</p>Shown'],
    ['what follows a hidden picture', '<img hidden>Shown<br style="display:none">'],
    ['visible text in invisible text', '<div style="visibility:hidden">a<p style="visibility:visible">Shown</p></div>'],
    ['text with a size in text without', '<td style="font-size:0"><div style="font-size:13px">Shown</div></td>'],
    ['a size that is computed', styled('font-size:calc(1em + 1vw)').replace('SECRET', 'Shown')],
  ])('%s', async (_, body) => {
    expect(await textOf(body)).toContain('Shown');
  });

  test.each([
    'opacity:.5',
    'opacity:0;transform:translate3d(0,20px,0)',
    'opacity:0;animation:appear 1s forwards',
    'height:0',
    'width:0;overflow:visible',
    'height:0;padding-bottom:56.25%;overflow:hidden',
    'height:0;min-height:100px;overflow:hidden',
    'height:2em;overflow:hidden',
    'left:-9999px',
    'position:absolute;left:9999px',
    'position:relative;left:-1920px;width:5760px',
    'left:50%;margin-left:-480px',
    'clip-path:inset(10%)',
    'left:100%;transform:translateX(-100%)',
    'text-indent:2em',
    'font:italic 12px/30px Georgia',
    'font-size:62.5%',
    'display:block',
    '/*display:none*/',
    'content:"display:none"',
  ])('style="%s"', async (style) => {
    expect(await textOf(styled(style.replaceAll('"', '&quot;')))).toContain('SECRET');
  });

  test.each([
    ['@media print{.x{display:none}}', '<p class="x">Shown</p>'],
    ['@media (max-width:600px){.x{display:none}}', '<p class="x">Shown</p>'],
    ['@media (prefers-color-scheme:dark){.x{display:none}}', '<p class="x">Shown</p>'],
    ['.x{display:none}@media (min-width:768px){.x{display:block}}', '<p class="x">Shown</p>'],
    ['.x{display:none}.md\\:block{@media (width >= 48rem){display:block}}', '<p class="x md:block">Shown</p>'],
    ['@media (width < 600px){.x{display:none}}.x{@media print{display:none}}', '<p class="x">Shown</p>'],
    ['.x{display:none}.x.open{display:block}', '<p class="x open">Shown</p>'],
    ['.x{display:none}#y{display:block}', '<p class="x" id="y">Shown</p>'],
    ['.x{display:none}', '<p class="x" style="display:block">Shown</p>'],
    ['.x{display:none}.x{display:block}', '<p class="x">Shown</p>'],
    ['.x{display:none}', '<p class="X y-x">Shown</p>'],
    ['.x::before{display:none}.x:hover{display:none}.a .x{display:none}', '<p class="x">Shown</p>'],
    ['@keyframes k{.x{display:none}}', '<p class="x">Shown</p>'],
    ['@supports not (display:grid){.x{display:none}}', '<p class="x">Shown</p>'],
  ])('%s', async (style, body) => {
    expect(await textOf(body, style)).toContain('Shown');
  });

  test.each([
    ['for print', '<style media="print">.x{display:none}</style>'],
    ['for browsers without scripts', '<noscript><style>.x{display:none}</style></noscript>'],
    ['of another type', '<style type="text/x-template">.x{display:none}</style>'],
    ['in a comment', '<!--<style>.x{display:none}</style>-->'],
  ])('a style sheet %s', async (_, sheet) => {
    expect(await textOf(`${sheet}<p class="x">Shown</p>`)).toContain('Shown');
  });

  test('the title, not a title in a comment, a drawing or a hidden element', async () => {
    const other = '<!--<title>SECRET</title>--><svg><title>SECRET</title></svg><div hidden><title>SECRET</title></div>';
    expect((await htmlToText(`${other}<title hidden>The &amp; ferry</title><p>a</p>`)).title).toBe('The & ferry');
  });
});

describe('every way to send a page', () => {
  const HIDDEN = page('<p style="display:none">SECRET</p><h1 hidden>SECRET</h1>');

  test.each(['html', 'text', 'page'])('%s', async (kind) => {
    const { text, title, chunks, memories } = await extractDocument({
      ...{ body: HIDDEN, kind, fileName: null, documentDate: null },
    });
    expect([text, title].join('')).not.toContain('SECRET');
    expect(text).toContain('The ferry leaves at seven.');
    expect(title).toBe('Harbour');
    expect([chunks.length, memories.length]).toEqual([1, 1]);
  });

  test('a text with hidden words alone has none', async () => {
    const source = { body: '<p hidden>SECRET</p>', kind: 'text', fileName: null, documentDate: null };
    await expect(extractDocument(source)).rejects.toMatchObject({ code: 'extraction_failed' });
  });

  test('an article of a page', async () => {
    const paragraph = '<p>The tide mill turns twice a day, when the basin is let out through the wheel, and rests.</p>';
    const article = `<article><h1>Mill</h1>${paragraph.repeat(4)}<p class="x">SECRET</p><p aria-hidden="true">It was built by two brothers, and rests.</p>${paragraph}</article>`;
    const { text } = await readArticle(`<style>.x{opacity:0}</style>${article}`, null);
    expect(text).not.toContain('SECRET');
    expect(text).toContain('built by two brothers');
  });
});

describe('hostile pages are read in linear time, or refused', () => {
  const NOT_SHOWN = '<p class="x">SECRET</p>';
  const many = (count: number, one: (i: number) => string) => Array.from({ length: count }, (_, i) => one(i)).join('');
  test.each([
    ['many rules', `${many(50_000, (i) => `.a${i}{display:none}`)}.x{display:none}`, NOT_SHOWN],
    ['blocks inside each other', `${'a{'.repeat(300_000)}${'}'.repeat(300_000)}.x{display:none}`, NOT_SHOWN],
    ['a long selector', `${'.x'.repeat(100_000)},.x{display:none}`, NOT_SHOWN],
    ['a long text', `.y{content:"${'a'.repeat(2_000_000)}"}.x{display:none}`, NOT_SHOWN],
    [
      'an address with data',
      `.y{background:url(data:font;base64,${'aA+/'.repeat(500_000)})}.x{display:none}`,
      NOT_SHOWN,
    ],
    ['brackets without an end', `.x{display:none}${'('.repeat(500_000)}`, NOT_SHOWN],
    ['many elements', '.x{display:none}', `${'<p class="a b c d">'.repeat(200_000)}${NOT_SHOWN}`],
    ['many classes', '.x{display:none}', `<p class="${many(300_000, (i) => `c${i} `)}x">SECRET</p>`],
    ['elements inside each other', '.x{display:none}', `${'<div>'.repeat(300_000)}${NOT_SHOWN}`],
    [
      'end tags of nothing',
      '.x{display:none}',
      `${'<b><div>'.repeat(100_000)}${'</b></i>'.repeat(300_000)}${NOT_SHOWN}`,
    ],
  ])('%s', async (_, style, body) => {
    expect(await textOf(body, style)).not.toContain('SECRET');
  });

  test.each([
    ['very many rules', '.x{display:none}'.repeat(200_000), NOT_SHOWN],
    ['very many elements for many rules', '.x.y{display:none}'.repeat(20_000), NOT_SHOWN.repeat(20_000)],
    ['very large styles', ':is(a)'.repeat(2_500_000), NOT_SHOWN],
  ])('%s', async (_, style, body) => {
    await expect(textOf(body, style)).rejects.toMatchObject({ code: 'extraction_too_large' });
  });
});
