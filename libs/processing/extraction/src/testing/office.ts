import { deflateRawSync } from 'node:zlib';
import { strToU8, zipSync } from 'fflate';

/** Makes office files for specs. */

type Files = Readonly<Record<string, string>>;
type Contents = Readonly<Record<string, string | Uint8Array>>;

export const zipped = (files: Contents): Uint8Array<ArrayBuffer> =>
  zipSync(
    Object.fromEntries(
      Object.entries(files).map(([name, content]) => [
        name,
        typeof content === 'string' ? strToU8(content) : new Uint8Array(content),
      ]),
    ),
  );

/** A container with another content of one of its files, which says that it is short. */
export function withContent(container: Uint8Array, name: string, content: Buffer, level = 1): Uint8Array<ArrayBuffer> {
  const bytes = Buffer.from(container);
  const packed = deflateRawSync(content, { level });
  const entry = bytes.lastIndexOf(name) - 46;
  const local = Buffer.alloc(30);
  bytes.writeUInt32LE(packed.length, entry + 20);
  bytes.writeUInt32LE(100, entry + 24);
  bytes.writeUInt16LE(8, entry + 10);
  const end = bytes.length - 22;
  const list = bytes.readUInt32LE(end + 16);
  bytes.writeUInt32LE(list, entry + 42);
  bytes.writeUInt32LE(list + 30 + packed.length, end + 16);
  return new Uint8Array(Buffer.concat([bytes.subarray(0, list), local, packed, bytes.subarray(list)]));
}

const TYPES = 'http://schemas.openxmlformats.org/package/2006/content-types';
const RELATIONSHIPS = 'http://schemas.openxmlformats.org/package/2006/relationships';
const OFFICE = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const MAIN = 'application/vnd.openxmlformats-officedocument';
const WORD = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"';

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

/** Paragraphs; one that begins with `# ` is a heading. An array is a table. */
export const docxBody = (parts: readonly (string | readonly (readonly string[])[])[]): string =>
  parts
    .map((part) => {
      if (typeof part === 'string') return paragraph(part);
      const rows = part.map(
        (cells) => `<w:tr>${cells.map((cell) => `<w:tc>${paragraph(cell)}</w:tc>`).join('')}</w:tr>`,
      );
      return `<w:tbl>${rows.join('')}</w:tbl>`;
    })
    .join('');

function paragraph(text: string): string {
  const style = text.startsWith('# ') ? '<w:pPr><w:pStyle w:val="Heading1"/></w:pPr>' : '';
  return `<w:p>${style}<w:r><w:t xml:space="preserve">${escaped(text.replace(/^# /, ''))}</w:t></w:r></w:p>`;
}

/** @param body XML of the paragraphs */
export const docxOf = (body: string, others: Contents = {}, doctype = ''): Uint8Array<ArrayBuffer> =>
  zipped({
    ...ooxml('word/document.xml', 'wordprocessingml.document.main+xml'),
    'word/document.xml': `${doctype}<w:document ${WORD}><w:body>${body}</w:body></w:document>`,
    'word/styles.xml': `<w:styles ${WORD}><w:style w:type="paragraph" w:styleId="Heading1"><w:name w:val="heading 1"/></w:style></w:styles>`,
    ...others,
  });

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

/** @param body XML of the paragraphs */
export const odtOf = (body: string, others: Files = {}): Uint8Array<ArrayBuffer> =>
  openDocumentOf('text', body, others);

/** @param tables XML of the sheets */
export const odsOf = (tables: string, others: Files = {}): Uint8Array<ArrayBuffer> =>
  openDocumentOf('spreadsheet', tables, others);

const openDocumentOf = (kind: string, body: string, others: Files): Uint8Array<ArrayBuffer> =>
  zipSync({
    mimetype: [strToU8(`application/vnd.oasis.opendocument.${kind}`), { level: 0 }],
    'content.xml': strToU8(
      `<office:document-content><office:body><office:${kind}>${body}</office:${kind}></office:body></office:document-content>`,
    ),
    'meta.xml': strToU8(
      '<office:document-meta><office:meta><dc:title>The yearly report</dc:title><meta:initial-creator>Ann Berg' +
        '</meta:initial-creator><meta:creation-date>2024-05-01T10:00:00</meta:creation-date></office:meta></office:document-meta>',
    ),
    ...Object.fromEntries(Object.entries(others).map(([name, text]) => [name, strToU8(text)])),
  });

/** @param slides XML of the shapes of each; `notes`: words of the notes of a slide, by its index */
export const pptxOf = (
  slides: readonly string[],
  notes: Readonly<Record<number, string>> = {},
): Uint8Array<ArrayBuffer> => {
  const ids = slides.map((_, i) => `<p:sldId id="${256 + i}" r:id="rId${i + 1}"/>`);
  const parts = slides.map((xml, i) => [`ppt/slides/slide${i + 1}.xml`, `<p:sld>${xml}</p:sld>`]);
  const noted = Object.entries(notes).flatMap(([i, words]) => [
    [`ppt/notesSlides/notesSlide${i}.xml`, `<p:notes>${shape(words)}</p:notes>`],
    [`ppt/slides/_rels/slide${Number(i) + 1}.xml.rels`, targets([`../notesSlides/notesSlide${i}.xml`])],
  ]);
  return zipped({
    ...ooxml('ppt/presentation.xml', 'presentationml.presentation.main+xml'),
    'ppt/presentation.xml': `<p:presentation><p:sldIdLst>${ids.join('')}</p:sldIdLst></p:presentation>`,
    'ppt/_rels/presentation.xml.rels': targets(slides.map((_, i) => `slides/slide${i + 1}.xml`)),
    ...Object.fromEntries([...parts, ...noted]),
  });
};

/** A shape of a slide with paragraphs. */
export function shape(text: string, placeholder?: string): string {
  const kind = placeholder === undefined ? '' : `<p:nvPr><p:ph type="${placeholder}"/></p:nvPr>`;
  const paragraphs = text.split('\n').map((words) => `<a:p><a:r><a:t>${escaped(words)}</a:t></a:r></a:p>`);
  return `<p:sp>${kind}<p:txBody>${paragraphs.join('')}</p:txBody></p:sp>`;
}

/** A paragraph with the pictures of a Word document, and the files that these need. */
export function docxPictures(pictures: readonly Uint8Array[]): { readonly body: string; readonly files: Contents } {
  const runs = pictures.map(
    (_, i) =>
      '<w:r><w:drawing xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" ' +
      'xmlns:wp="http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing" ' +
      'xmlns:pic="http://schemas.openxmlformats.org/drawingml/2006/picture"><wp:inline><wp:docPr descr="a &gt; b"/>' +
      `<a:graphic><a:graphicData><pic:pic><pic:blipFill><a:blip r:embed="rId${i + 1}" xmlns:r="${OFFICE}"/>` +
      '</pic:blipFill></pic:pic></a:graphicData></a:graphic></wp:inline></w:drawing></w:r>',
  );
  const entries = pictures.map(
    (_, i) => `<Relationship Id="rId${i + 1}" Type="${OFFICE}/image" Target="media/image${i + 1}.png"/>`,
  );
  const files = pictures.map((picture, i) => [`word/media/image${i + 1}.png`, picture] as const);
  const relations = `<Relationships xmlns="${RELATIONSHIPS}">${entries.join('')}</Relationships>`;
  return {
    body: `<w:p>${runs.join('')}</w:p>`,
    files: { ...Object.fromEntries(files), 'word/_rels/document.xml.rels': relations },
  };
}
