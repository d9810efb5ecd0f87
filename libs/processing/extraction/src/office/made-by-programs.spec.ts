import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { detectKind, extractDocument } from '../index.ts';

/** Office files that other programs wrote, and inputs of bug reports (`test/fixtures/office`). */

const FIXTURES = join(import.meta.dirname, '../../../../../test/fixtures/office');

async function read(fileName: string): Promise<readonly string[]> {
  const body = readFileSync(join(FIXTURES, fileName));
  const detected = await detectKind({ bytes: body, fileName, contentType: null });
  if (!('kind' in detected)) throw new Error(detected.unsupported);
  const { text } = await extractDocument({ body, kind: detected.kind, fileName: null, documentDate: null });
  return text.split('\n').flatMap((line) => line.replace(/ +/g, ' ').trim() || []);
}

test.each<[string, readonly string[]]>([
  ['rtf-hidden.rtf', ['The ferry leaves at seven. the timetable costs 75.']],
  [
    'pyrtf-hidden.rtf',
    ['The ferry leaves at seven from the north pier.', 'The crossing takes seventy minutes.', 'Bicycles are free.'],
  ],
  [
    'rtf-writer-hidden.rtf',
    ['The ferry leaves at seven from the north pier.', 'The crossing takes seventy minutes.', 'Bicycles are free.'],
  ],
  [
    'pandoc-hidden.rtf',
    ['The ferry', 'The ferry leaves at seven from the north pier.', '• Alder is open', '• Birch is closed'],
  ],
])('%s', async (name, lines) => {
  expect(await read(name)).toEqual(lines);
});
