import { NO_CONTEXT } from '../resources.ts';
import { docxBody, docxOf } from '../testing/office.ts';
import { docx } from './docx.extractor.ts';

/** What a person sees of a Word document, and no more, is its text. */

const WORD = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"';
const RELATIONSHIPS = 'http://schemas.openxmlformats.org/package/2006/relationships';
const ALTERNATE = 'xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006"';
const OFFICE = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';

async function linesOf(body: string, others: Readonly<Record<string, string>> = {}): Promise<readonly string[]> {
  const { text } = await docx.toText(docxOf(body, others), NO_CONTEXT);
  return text.split('\n').flatMap((line) => line.trim() || []);
}

const run = (words: string, properties = '') =>
  `<w:r>${properties === '' ? '' : `<w:rPr>${properties}</w:rPr>`}<w:t xml:space="preserve">${words}</w:t></w:r>`;
const paragraph = (runs: string, style = '') =>
  `<w:p>${style === '' ? '' : `<w:pPr><w:pStyle w:val="${style}"/></w:pPr>`}${runs}</w:p>`;
const field = (instruction: string, result: string) =>
  `<w:r><w:fldChar w:fldCharType="begin"/></w:r><w:r><w:instrText>${instruction}</w:instrText></w:r>` +
  `<w:r><w:fldChar w:fldCharType="separate"/></w:r>${result}<w:r><w:fldChar w:fldCharType="end"/></w:r>`;
const box = (words: string) => `<w:txbxContent>${paragraph(run(words))}</w:txbxContent>`;
const drawing = (inside: string) =>
  `<w:drawing><wp:inline xmlns:wp="urn:wp"><a:graphic xmlns:a="urn:a">${inside}</a:graphic></wp:inline></w:drawing>`;
const alternate = (...forms: readonly string[]) =>
  `<mc:AlternateContent ${ALTERNATE}>${forms.map((form, i) => (i === 0 ? `<mc:Choice Requires="wps">${form}</mc:Choice>` : `<mc:Fallback>${form}</mc:Fallback>`)).join('')}</mc:AlternateContent>`;

const STYLES =
  `<w:styles ${WORD}><w:style w:type="paragraph" w:styleId="Heading1"><w:name w:val="heading 1"/></w:style>` +
  '<w:style w:type="paragraph" w:styleId="Note"><w:basedOn w:val="Secret"/></w:style>' +
  '<w:style w:type="paragraph" w:styleId="Open"><w:basedOn w:val="Note"/><w:rPr><w:vanish w:val="0"/></w:rPr></w:style>' +
  '<w:style w:type="paragraph" w:styleId="Secret"><w:rPr><w:vanish/></w:rPr></w:style>' +
  '<w:style w:type="paragraph" w:styleId="Round"><w:basedOn w:val="Round"/></w:style>' +
  '<w:style w:type="character" w:styleId="Hidden"><w:rPr><w:vanish/></w:rPr></w:style></w:styles>';

test.each<[string, string, readonly string[]]>([
  [
    'hidden words',
    `${run('shown')}${run('secret', '<w:vanish/>')}${run('!', '<w:vanish w:val="false"/>')}`,
    ['shown!'],
  ],
  ['words with a hidden style', `${run('shown')}${run('secret', '<w:rStyle w:val="Hidden"/>')}`, ['shown']],
  [
    'words that were hidden before a change',
    run('shown', '<w:rPrChange><w:rPr><w:vanish/></w:rPr></w:rPrChange>'),
    ['shown'],
  ],
  [
    'a note, a picture and a break in hidden words',
    `<w:r><w:rPr><w:vanish/></w:rPr><w:footnoteReference w:id="1"/>${drawing(box('secret'))}<w:br/></w:r>${run('shown')}`,
    ['shown'],
  ],
  [
    'what was moved',
    `<w:moveFrom>${run('old place')}</w:moveFrom><w:moveTo>${run('new place')}</w:moveTo>`,
    ['new place'],
  ],
  ['a deleted text box', `${run('shown')}<w:del><w:r>${drawing(box('secret'))}</w:r></w:del>`, ['shown']],
  [
    'an instruction with a field',
    `${run('Pay ')}${field(`IF ${'</w:instrText></w:r>'}${field('MERGEFIELD due', run('secret'))}<w:r><w:instrText> = 1 "now"`, run('now'))}${run('.')}`,
    ['Pay now.'],
  ],
  [
    'a field without an end',
    `<w:r><w:fldChar w:fldCharType="begin"/></w:r><w:r><w:instrText>PAGE</w:instrText></w:r></w:p><w:p>${run('shown')}`,
    ['shown'],
  ],
])('%s: what is not shown is left out', async (_, runs, expected) => {
  expect(await linesOf(paragraph(runs), { 'word/styles.xml': STYLES })).toEqual(expected);
});

test('the styles of a paragraph hide its words, unless its words or a style say otherwise', async () => {
  const body = [
    paragraph(run('secret'), 'Secret'),
    paragraph(run('secret'), 'Note'),
    paragraph(run('shown by a style'), 'Open'),
    paragraph(run('shown by itself', '<w:vanish w:val="0"/>'), 'Note'),
    paragraph(run('shown by both styles', '<w:rStyle w:val="Hidden"/>'), 'Secret'),
    paragraph(run('shown'), 'Round'),
  ];
  const lines = await linesOf(body.join(''), { 'word/styles.xml': STYLES });
  expect(lines).toEqual(['shown by a style', 'shown by itself', 'shown by both styles', 'shown']);
});

test.each<[string, string, readonly string[]]>([
  ['both forms hold it', alternate(drawing(box('box')), `<w:pict>${box('box')}</w:pict>`), ['box']],
  ['the new form holds it', alternate(drawing(box('box')), '<w:pict/>'), ['box']],
  [
    'the old form holds it',
    alternate(
      drawing('<a:blip/>'),
      `<w:pict><v:oval xmlns:v="urn:schemas-microsoft-com:vml">${box('box')}</v:oval></w:pict>`,
    ),
    ['box'],
  ],
  ['there is one form', alternate(drawing(box('box'))), ['box']],
  ['a group has several', drawing(`<g:wgp xmlns:g="urn:g">${box('one')}${box('two')}</g:wgp>`), ['one', 'two']],
  [
    'one is in another',
    drawing(`<w:txbxContent>${paragraph(`${run('outer')}<w:r>${drawing(box('inner'))}</w:r>`)}</w:txbxContent>`),
    ['outer', 'inner'],
  ],
  [
    'it is a watermark',
    '<w:pict><v:shape xmlns:v="urn:schemas-microsoft-com:vml"><v:textpath string="DRAFT"/></v:shape></w:pict>',
    ['DRAFT'],
  ],
])('a text box is read once, below its paragraph, if %s', async (_, shape, expected) => {
  expect(await linesOf(`${paragraph(`${run('before')}<w:r>${shape}</w:r>${run(' and after')}`)}`)).toEqual([
    'before and after',
    ...expected,
  ]);
});

test('charts and diagrams are read below their paragraph', async () => {
  const chart =
    '<c:chartSpace><c:chart><c:ser><c:cat><c:strCache><c:pt idx="0"><c:v>May</c:v></c:pt></c:strCache></c:cat>' +
    '<c:val><c:numCache><c:pt idx="0"><c:v>19</c:v></c:pt></c:numCache></c:val></c:ser></c:chart></c:chartSpace>';
  const diagram =
    '<d:dataModel><d:pt modelId="1"><a:t>Call the pilot</a:t></d:pt><d:pt modelId="2"><a:t>Moor</a:t></d:pt></d:dataModel>';
  const targets = [
    '<Relationship Id="rId1" Target="charts/chart1.xml"/><Relationship Id="rId2" Target="diagrams/data1.xml"/>',
  ];
  const shapes = `<c:chart xmlns:c="urn:c" r:id="rId1"/><d:relIds xmlns:d="urn:d" r:dm="rId2"/><c:chart xmlns:c="urn:c" r:id="rId3"/>`;
  const others = {
    'word/charts/chart1.xml': chart,
    'word/diagrams/data1.xml': diagram,
    'word/_rels/document.xml.rels': `<Relationships xmlns="${RELATIONSHIPS}">${targets.join('')}</Relationships>`,
  };
  const body = paragraph(`<w:r xmlns:r="${OFFICE}">${drawing(shapes)}</w:r>${run('before')}`);
  expect(await linesOf(body, others)).toEqual(['before', '- May; 19', 'Call the pilot', 'Moor']);
});

test('text of any direction, signs of fonts and line breaks are read', async () => {
  const body = `<w:bdo w:val="rtl">${run('one')}</w:bdo><w:r><w:cr/></w:r><w:dir>${run('two')}</w:dir><w:r><w:sym w:font="MS Gothic" w:char="2612"/></w:r>`;
  expect(await linesOf(paragraph(body))).toEqual(['one', 'two☒']);
});

const margin = (place: 'hdr' | 'ftr', ...paragraphs: readonly string[]) =>
  `<w:${place} ${WORD}>${paragraphs.join('')}</w:${place}>`;
const reference = (place: string, id: string, type = 'default') =>
  `<w:${place}Reference w:type="${type}" r:id="${id}" xmlns:r="${OFFICE}"/>`;
const section = (inside: string) => `<w:p><w:pPr><w:sectPr>${inside}</w:sectPr></w:pPr></w:p>`;

function withMargins(parts: Readonly<Record<string, string>>, others: Readonly<Record<string, string>> = {}) {
  const targets = Object.keys(parts).map((id) => `<Relationship Id="${id}" Target="${id}.xml"/>`);
  return {
    ...Object.fromEntries(Object.entries(parts).map(([id, xml]) => [`word/${id}.xml`, xml])),
    'word/_rels/document.xml.rels': `<Relationships xmlns="${RELATIONSHIPS}">${targets.join('')}</Relationships>`,
    ...others,
  };
}

test('headers and footers of all sections are read once, around the text, in their order', async () => {
  const number = (before: string, after: string) =>
    paragraph(`${run(before)}${field(' PAGE ', run('7'))}${run(after)}`);
  const body =
    `${docxBody(['One.'])}${section(`${reference('header', 'h1')}${reference('footer', 'f1')}`)}` +
    `${docxBody(['Two.'])}<w:sectPr>${reference('header', 'h2')}${reference('footer', 'f2')}</w:sectPr>`;
  const parts = {
    h1: margin('hdr', paragraph(run('Contract 4711')), number('Contract 4711, page ', '')),
    h2: margin('hdr', paragraph(run('Contract 4711')), paragraph(run('Annex'))),
    f1: margin('ftr', paragraph(run('Galway')), number('Page ', ''), number('– ', ' –'), number('第', '页')),
    f2: margin(
      'ftr',
      paragraph(run('Galway')),
      paragraph(`${run('Seite ')}<w:fldSimple w:instr="PAGE">${run('2')}</w:fldSimple>`),
    ),
  };
  expect(await linesOf(body, withMargins(parts))).toEqual([
    ...['Contract 4711', 'Contract 4711, page 7', 'Annex', 'One.', 'Two.', 'Galway'],
  ]);
});

test('headers of first and even pages are read only where the document shows them', async () => {
  const references = [reference('header', 'h1'), reference('header', 'h2', 'first'), reference('header', 'h3', 'even')];
  const parts = {
    h1: margin('hdr', paragraph(run('odd'))),
    h2: margin('hdr', paragraph(run('first'))),
    h3: margin('hdr', paragraph(run('even'))),
  };
  const body = (more: string) => `${docxBody(['text'])}<w:sectPr>${references.join('')}${more}</w:sectPr>`;
  expect(await linesOf(body(''), withMargins(parts))).toEqual(['odd', 'text']);
  const settings = { 'word/settings.xml': `<w:settings ${WORD}><w:evenAndOddHeaders/></w:settings>` };
  expect(await linesOf(body('<w:titlePg/>'), withMargins(parts, settings))).toEqual(['odd', 'first', 'even', 'text']);
});

test('a header with other prefixes, a picture and a text box is read without the picture', async () => {
  const header =
    '<x:hdr xmlns:x="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><x:p><x:r><x:pict>' +
    '<v:shape xmlns:v="urn:schemas-microsoft-com:vml"><v:imagedata r:id="rId9" xmlns:r="urn:r"/><v:textbox><x:txbxContent>' +
    '<x:p><x:r><x:t>Harbour Office</x:t></x:r></x:p></x:txbxContent></v:textbox></v:shape></x:pict></x:r></x:p></x:hdr>';
  const body = `${docxBody(['text'])}<w:sectPr>${reference('header', 'h1')}${reference('footer', 'missing')}</w:sectPr>`;
  expect(await linesOf(body, withMargins({ h1: header }))).toEqual(['Harbour Office', 'text']);
});

const MATH = 'xmlns:m="http://schemas.openxmlformats.org/officeDocument/2006/math"';
const m = (name: string, inside: string, properties = '') =>
  `<m:${name}>${properties === '' ? '' : `<m:${name}Pr>${properties}</m:${name}Pr>`}${inside}</m:${name}>`;
const value = (name: string, words: string) => `<m:${name} m:val="${words}"/>`;
const letters = (words: string) => m('r', m('t', words));

test.each<[string, string, string]>([
  ['a deleted part', `${letters('a')}<w:del>${letters('b')}</w:del><w:ins>${letters('c')}</w:ins>`, 'ac'],
  ['a hidden part', `${letters('a')}<m:r><w:rPr><w:vanish/></w:rPr><m:t>b</m:t></m:r>`, 'a'],
  ['room for something', `${letters('a')}${m('phant', m('e', letters('b')), value('show', '0'))}`, 'a'],
  ['a root', m('rad', m('deg', letters('n')) + m('e', letters('x+1'))), '√[n](x+1)'],
  ['a square root', m('rad', m('deg', letters('2')) + m('e', letters('x')), value('degHide', '1')), '√x'],
  [
    'cases',
    m(
      'd',
      m('e', m('eqArr', m('e', letters('x')) + m('e', letters('−x')))),
      value('begChr', '{') + value('endChr', ''),
    ),
    '{x; −x',
  ],
  ['limits', m('limLow', m('e', letters('max')) + m('lim', letters('i'))), 'max_i'],
  ['scripts before', m('sPre', m('sub', letters('92')) + m('sup', letters('235')) + m('e', letters('U'))), '_92^235U'],
  ['a function', m('func', m('fName', letters('sin')) + m('e', letters('x'))), 'sin x'],
  ['both scripts', m('sSubSup', m('e', letters('x')) + m('sub', letters('i')) + m('sup', letters('n+1'))), 'x_i^(n+1)'],
  ['a line above', m('bar', m('e', letters('x')), value('pos', 'top')), 'x\u0305'],
  ['an integral', m('nary', m('sub', letters('0')) + m('sup', letters('1')) + m('e', letters('xdx'))), '∫_0^1 xdx'],
])('an equation is a line: %s', async (_, inside, expected) => {
  expect(await linesOf(paragraph(`${run('[')}<m:oMath ${MATH}>${inside}</m:oMath>${run(']')}`))).toEqual([
    `[${expected}]`,
  ]);
});

test('equations of a group stand on lines of their own', async () => {
  const group = `<m:oMathPara ${MATH}>${m('oMath', letters('a=1'))}${m('oMath', letters('b=2'))}</m:oMathPara>`;
  expect(await linesOf(paragraph(group))).toEqual(['a=1', 'b=2']);
});

test('the main part may be in UTF-16', async () => {
  const xml = `\ufeff<w:document ${WORD}><w:body>${docxBody(['The café.'])}</w:body></w:document>`;
  const file = docxOf('', { 'word/document.xml': Buffer.from(xml, 'utf16le') });
  expect((await docx.toText(file, NO_CONTEXT)).text.trim()).toBe('The café.');
});
