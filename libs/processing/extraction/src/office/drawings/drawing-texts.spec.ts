import { zipped } from '../../testing/office.ts';
import { Zip } from '../../zip.ts';
import { drawingTexts } from './drawing-texts.ts';

const SLIDE = 'ppt/slides/slide1.xml';

/** The texts of a slide with this in it; `linked` is the part that it names as `rId1`. */
function textsOf(inside: string, linked = ''): Promise<readonly string[]> {
  const files = {
    [SLIDE]: `<p:sld>${inside}</p:sld>`,
    'ppt/slides/_rels/slide1.xml.rels':
      '<Relationships><Relationship Id="rId1" Target="../linked.xml"/></Relationships>',
    'ppt/linked.xml': linked,
  };
  return drawingTexts(new Zip(zipped(files), 'a file'), SLIDE);
}

const DIAGRAM = '<p:graphicFrame><dgm:relIds r:dm="rId1" r:lo="rId2"/></p:graphicFrame>';
const CHART = '<p:graphicFrame><c:chart r:id="rId1"/></p:graphicFrame>';
const paragraph = (words: string) => `<a:p><a:r><a:t>${words}</a:t></a:r></a:p>`;
const shape = (inside: string) => `<p:sp><p:txBody>${inside}</p:txBody></p:sp>`;
const point = (id: string, words = '') =>
  `<dgm:pt modelId="${id}"><dgm:t>${words === '' ? '' : paragraph(words)}</dgm:t></dgm:pt>`;
const part = (parent: string, child: string, place: number, type = '') =>
  `<dgm:cxn ${type} srcId="${parent}" destId="${child}" srcOrd="${place}"/>`;
const diagram = (points: string, parts = '') =>
  `<dgm:dataModel><dgm:ptLst>${points}</dgm:ptLst><dgm:cxnLst>${parts}</dgm:cxnLst></dgm:dataModel>`;

test('a diagram is read in the order of its hierarchy', async () => {
  const points = ['doc', 'a', 'b', 'a1', 'a2', 'a11'].map((id) => point(id, id === 'doc' ? '' : `Office ${id}`));
  const parts = [
    part('doc', 'b', 1),
    part('doc', 'a', 0),
    part('a', 'a2', 1),
    part('a', 'a1', 0),
    part('a1', 'a11', 0),
  ];
  const shown = part('b', 'a2', 0, 'type="presOf"');
  expect(await textsOf(DIAGRAM, diagram(points.join(''), `${parts.join('')}${shown}`))).toEqual([
    'Office a\n- Office a1\n  - Office a11\n- Office a2\nOffice b',
  ]);
});

test('a diagram whose points are parts of each other is read once', async () => {
  const points = `${point('a', 'one')}${point('b', 'two')}`;
  expect(await textsOf(DIAGRAM, diagram(points, `${part('a', 'b', 0)}${part('b', 'a', 0)}`))).toEqual(['one\n- two']);
});

const cache = (values: readonly string[], kind = 'num', format = '') =>
  `<c:${kind}Ref><c:f>Sheet1!A1</c:f><c:${kind}Cache>${format === '' ? '' : `<c:formatCode>${format}</c:formatCode>`}` +
  `${values.map((one, i) => `<c:pt idx="${i}"><c:v>${one}</c:v></c:pt>`).join('')}</c:${kind}Cache></c:${kind}Ref>`;
const series = (name: string, categories: string, values: string, more = '') =>
  `<c:ser><c:tx>${cache([name], 'str')}</c:tx>${more}<c:cat>${categories}</c:cat><c:val>${values}</c:val></c:ser>`;
const chart = (plots: string, more = '') =>
  `<c:chartSpace>${more}<c:chart><c:title><c:tx>${cache(['Ships'], 'str')}</c:tx></c:title><c:plotArea>${plots}</c:plotArea></c:chart></c:chartSpace>`;

test('a chart has values as it shows them, by category', async () => {
  const months = cache(['45352', '45383'], 'num', 'mmm yyyy');
  const plots =
    `<c:barChart>${series('Ferries', months, cache(['1234.5', '7'], 'num', '#,##0.0'))}</c:barChart>` +
    `<c:lineChart>${series('Share', months, cache(['0.125', '0.5'], 'num', '0%'))}</c:lineChart>`;
  expect(await textsOf(CHART, chart(plots))).toEqual([
    'Ships\n- Mar 2024; Ferries: 1,234.5; Share: 13%\n- Apr 2024; Ferries: 7.0; Share: 50%',
  ]);
  const earlier = cache(['43890'], 'num', 'mmm yyyy');
  const from1904 = chart(series('Ferries', earlier, cache(['7'])), '<c:date1904 val="1"/>');
  expect(await textsOf(CHART, from1904)).toEqual(['Ships\n- Mar 2024; Ferries: 7']);
});

test('labels, error bars and series that are not shown are no values; series of other categories stand below', async () => {
  const label = `<c:dLbls><c:dLbl><c:tx><c:rich>${paragraph('label')}</c:rich></c:tx></c:dLbl></c:dLbls>`;
  const bars = `<c:errBars><c:plus>${cache(['99'])}</c:plus></c:errBars>`;
  const hidden = `<c:extLst><c:ext><c15:filteredBarSeries><c15:ser>${series('Hidden', '', cache(['98']))}</c15:ser></c15:filteredBarSeries></c:ext></c:extLst>`;
  const first = series('A', cache(['x'], 'str'), cache(['1']), `${label}${bars}`);
  const plots = `<c:barChart>${first}${series('B', cache(['y'], 'str'), cache(['2']))}${hidden}</c:barChart>`;
  expect(await textsOf(CHART, chart(plots))).toEqual(['Ships\n- x; A: 1\n- y; B: 2']);
});

test('of several forms of a shape one is read; an equation is a line', async () => {
  const power = '<m:sSup><m:e><m:r><m:t>c</m:t></m:r></m:e><m:sup><m:r><m:t>2</m:t></m:r></m:sup></m:sSup>';
  const equation = `<a:p><a:r><a:t>Let </a:t></a:r><a14:m><m:oMath><m:r><m:t>E=m</m:t></m:r>${power}</m:oMath></a14:m></a:p>`;
  const forms = (first: string, last: string) =>
    `<mc:AlternateContent><mc:Choice Requires="a14">${first}</mc:Choice><mc:Fallback>${last}</mc:Fallback></mc:AlternateContent>`;
  const slide = `${forms(shape(equation), shape(paragraph('picture of it')))}${forms('<p:pic/>', shape(paragraph('old form')))}`;
  expect(await textsOf(slide)).toEqual(['Let E=mc^2', 'old form']);
});

test('a chart or diagram that is missing or damaged is left out', async () => {
  expect(await textsOf(`<c:chart r:id="rId7"/>${CHART}${DIAGRAM}${shape(paragraph('text'))}`, '<c:chart')).toEqual([
    'text',
  ]);
});
