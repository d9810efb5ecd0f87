import { isEncryptedOffice, refuseEncrypted } from '../office/containers.ts';
import { drawingTexts } from '../office/drawings/drawing-texts.ts';
import { isOoxml, OFFICE_LIMITS, propertiesOf, relationships } from '../office/ooxml.ts';
import { openWorkbook, readRows } from '../office/workbook.ts';
import { SectionedText } from '../sectioned-text.ts';
import { TableText } from '../tables/table-text.ts';
import { Zip } from '../zip.ts';
import type { FileExtractor } from './extractor.ts';

const CONTENT_TYPE = 'spreadsheetml.sheet.main+xml';

/** A part with the shapes of a sheet. */
const DRAWING = /\/drawings\/[^/]+\.xml$/;

/** Every sheet of an Excel workbook, hidden ones too, with its text boxes. */
export const xlsx: FileExtractor = {
  kind: 'xlsx',
  reads: 'bytes',
  limits: OFFICE_LIMITS,
  extensions: ['xlsx', 'xlsm', 'xltx'],
  mediaTypes: [
    'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
    'application/vnd.ms-excel.sheet.macroenabled.12',
  ],
  fileTypes: [],
  // What is encrypted names no kind; every one of them would be refused alike.
  detects: (bytes) => isOoxml(bytes, 'xl/workbook.xml', CONTENT_TYPE) || isEncryptedOffice(bytes),
  async toText(bytes) {
    refuseEncrypted(bytes);
    const zip = new Zip(bytes, 'an Excel workbook');
    const workbook = await openWorkbook(zip);
    const text = new SectionedText();
    for (const sheet of workbook.sheets) {
      const table = new TableText(text, { sheet: sheet.name });
      await readRows(zip, workbook, sheet, (number, cells) => table.add(number, cells));
      table.end();
      for (const part of (await relationships(zip, sheet.part)).values()) {
        // The cells say what the charts do.
        if (DRAWING.test(part))
          for (const words of await drawingTexts(zip, part, { charts: false })) table.addBeside(words);
      }
    }
    return { ...(await propertiesOf(zip.read('docProps/core.xml'))), ...text.result };
  },
};
