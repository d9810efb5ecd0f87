import { strToU8, zipSync } from 'fflate';

/** Makes office files for specs. */

type Files = Readonly<Record<string, string>>;

export const zipped = (files: Files): Uint8Array<ArrayBuffer> =>
  zipSync(Object.fromEntries(Object.entries(files).map(([name, text]) => [name, strToU8(text)])));

const TYPES = 'http://schemas.openxmlformats.org/package/2006/content-types';
const RELATIONSHIPS = 'http://schemas.openxmlformats.org/package/2006/relationships';
const OFFICE = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const MAIN = 'application/vnd.openxmlformats-officedocument';

const escaped = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');

/** The parts that every OOXML file has. */
const ooxml = (part: string, type: string): Files => ({
  '[Content_Types].xml':
    `<Types xmlns="${TYPES}"><Default Extension="xml" ContentType="application/xml"/>` +
    '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>' +
    `<Override PartName="/${part}" ContentType="${MAIN}.${type}"/></Types>`,
  '_rels/.rels': `<Relationships xmlns="${RELATIONSHIPS}"><Relationship Id="rId1" Type="${OFFICE}/officeDocument" Target="${part}"/></Relationships>`,
  'docProps/core.xml':
    '<cp:coreProperties><dc:title>The yearly report</dc:title><dc:creator>Ann Berg</dc:creator>' +
    '<dcterms:created>2024-05-01T10:00:00Z</dcterms:created></cp:coreProperties>',
});

const targets = (paths: readonly string[]): string =>
  `<Relationships xmlns="${RELATIONSHIPS}">${paths.map((path, i) => `<Relationship Id="rId${i + 1}" Target="${path}"/>`).join('')}</Relationships>`;

/** The XML of the rows of a sheet, with text or numbers. Null: no row. */
export const sheetRows = (rows: readonly (readonly (string | number)[] | null)[]): string =>
  rows
    .map((cells, i) => {
      const xml = cells?.map((cell, column) => {
        const place = `r="${String.fromCharCode(65 + column)}${i + 1}"`;
        if (typeof cell === 'number') return `<c ${place}><v>${cell}</v></c>`;
        return `<c ${place} t="inlineStr"><is><t>${escaped(cell)}</t></is></c>`;
      });
      return xml === undefined ? '' : `<row r="${i + 1}">${xml.join('')}</row>`;
    })
    .join('');

/** @param sheets XML of the rows, by name */
export const xlsxOf = (sheets: Files, others: Files = {}): Uint8Array<ArrayBuffer> => {
  const names = Object.keys(sheets);
  const entries = names.map((name, i) => `<sheet name="${name}" sheetId="${i + 1}" r:id="rId${i + 1}"/>`);
  const parts = names.map((name, i) => [
    `xl/worksheets/sheet${i + 1}.xml`,
    `<worksheet><sheetData>${sheets[name]}</sheetData></worksheet>`,
  ]);
  return zipped({
    ...ooxml('xl/workbook.xml', 'spreadsheetml.sheet.main+xml'),
    'xl/workbook.xml': `<workbook><sheets>${entries.join('')}</sheets></workbook>`,
    'xl/_rels/workbook.xml.rels': targets(names.map((_, i) => `worksheets/sheet${i + 1}.xml`)),
    ...Object.fromEntries(parts),
    ...others,
  });
};
