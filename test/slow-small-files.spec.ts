import { withContent, xlsxOf } from '../libs/processing/extraction/src/testing/office.ts';
import { Mneme } from './support/mneme.ts';

/** Small files that take long to read do not hold another small file. */

const SLOW_FILES = 6;
const TIMEOUT_MS = 300_000;

let mneme: Mneme;
beforeAll(async () => {
  mneme = await Mneme.start();
});
afterAll(() => mneme.stop());

async function upload(bytes: Uint8Array<ArrayBuffer> | string, name: string): Promise<string> {
  const form = new FormData();
  form.append('file', new Blob([bytes]), name);
  const { body } = await mneme.request<{ id: string }>('POST', '/v3/documents/file', form);
  return body.id;
}

/** A workbook of less than 256 KiB that unpacks to very many elements, and names their sheet several times. */
function slowWorkbook(): Uint8Array<ArrayBuffer> {
  const sheets = Array.from({ length: 8 }, (_, i) => `<sheet name="S${i}" sheetId="${i + 1}" r:id="rId1"/>`).join('');
  const workbook = xlsxOf({ A: '' }, { 'xl/workbook.xml': `<workbook><sheets>${sheets}</sheets></workbook>` });
  return withContent(workbook, 'xl/worksheets/sheet1.xml', Buffer.alloc(60_000_000, '<a/>'), 4);
}

test(
  'a line of text behind six of them is done while most of them are at work',
  async () => {
    const slow = slowWorkbook();
    expect(slow.length).toBeLessThan(256 * 1024);
    const ids: string[] = [];
    for (let i = 0; i < SLOW_FILES; i++) ids.push(await upload(slow, `slow-${i}.xlsx`));
    const line = await upload('The ferry leaves at noon.', 'ferry.txt');
    expect(await mneme.settled(line, TIMEOUT_MS)).toMatchObject({ status: 'done' });
    const statuses = await Promise.all(
      ids.map(async (id) => (await mneme.get<{ status: string }>(`/v3/documents/${id}`)).body.status),
    );
    const atWork = statuses.filter((status) => !['done', 'failed'].includes(status));
    expect(atWork.length).toBeGreaterThanOrEqual(SLOW_FILES / 2);
  },
  TIMEOUT_MS,
);
