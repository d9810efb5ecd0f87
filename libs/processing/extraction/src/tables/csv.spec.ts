import { processorTime } from '../../../../platform/kernel/src/testing/processor-time.ts';
import { extract, extractDocument } from '../index.ts';

/** Tables of text: separators, quotes, names of columns, lines around the table. */

const read = async (body: string) => {
  const { text, memories } = await extractDocument({ body, kind: 'csv', fileName: null, documentDate: null });
  return { text, memories, records: text.split('\n\n') };
};

describe('the separator is the one by which rows have equally many cells', () => {
  test.each([
    ['decimal commas, no names', '12,50;40\n24,90;7', '- 12,50; 40'],
    [
      'tabs, and commas in each cell',
      'en\tde\nHello, I am here.\tHallo, ich bin da.\nNo.\tNein.',
      '- en: Hello, I am here.; de: Hallo, ich bin da.',
    ],
    ['commas, and a list with semicolons in each row', 'Orla,7,x;y\nBram,8,z;w', '- Orla; 7; x;y'],
    ['commas, and a pipe in each row', 'name,tags,age\nOrla,a|b,30\nBram,c|d,31', '- name: Orla; tags: a|b; age: 30'],
    ['a quoted separator of another kind', '"a; b",1\n"c; d",2', '- a; b; 1'],
    [
      'a quoted separator in every cell',
      '"who, all";"where, now"\n"Berg, Ann";"Oslo, No"',
      '- who, all: Berg, Ann; where, now: Oslo, No',
    ],
    ['a quote at the beginning of each row', '"5" pipe,3.20\n"6" pipe,4.10', '- "5" pipe; 3.20'],
    ['rows of different length', 'a,b,c,d\n1,2\n1,2,3,4\n1,2,3', '- a: 1; b: 2'],
    ['a sep= line with a sign that no other file has', 'sep=^\na^b\nx^1', '- a: x; b: 1'],
    [
      'a quoted sep= line, and more commas than tabs',
      '"sep=\t"\nname\tnote\nOrla\ta, b, c',
      '- name: Orla; note: a, b, c',
    ],
    ['separators at the end of the rows', 'a;b;;\nx;1;;\ny;2;;', '- a: x; b: 1'],
    ['spaces around quoted cells', 'name, note\nOrla, "a, b"\nBram, "c"', '- name: Orla; note: a, b'],
  ])('%s', async (_, text, first) => {
    expect((await read(text)).records[0]).toBe(first);
  });
});

describe('names of columns', () => {
  test.each([
    [
      'names over numbers, one of them empty in the middle',
      'name,,age\nOrla,x,30\nBram,y,31',
      '- name: Orla; x; age: 30',
    ],
    ['numbers in equal steps', 'depot,1,2,3\nAlder,40,7,9\nBirch,1,5,2', '- depot: Alder; 1: 40; 2: 7; 3: 9'],
    ['dates', 'depot;2024-01-01;2024-02-01\nAlder;40;7', '- depot: Alder; 2024-01-01: 40; 2024-02-01: 7'],
    ['years alone', '2021,2022\n410,433\n120,118', '- 2021: 410; 2022: 433'],
    [
      'the same name over several columns of numbers',
      ',phone,phone\nOrla,5550101,5550102\nBram,5550103,5550104',
      '- Orla; phone: 5550101; phone: 5550102',
    ],
    [
      'numbers beside names over numbers',
      'sku,price,weight,10\nA,3.5,2,1\nB,4.5,3,2',
      '- sku: A; price: 3.5; weight: 2; 10: 1',
    ],
    ['the numbers of a data frame', ',0,1\n0,a,b\n1,c,d', '- 0; 0: a; 1: b'],
    [
      'a matrix whose rows have the names of the columns',
      ',Alder,Birch\nAlder,1,0.5\nBirch,0.5,1',
      '- Alder; Alder: 1; Birch: 0.5',
    ],
    [
      'groups in a row above',
      ',2023,,2024,\nDepot,Planned,Actual,Planned,Actual\nAlder,40,41,50,48',
      '- Depot: Alder; 2023 Planned: 40; 2023 Actual: 41; 2024 Planned: 50; 2024 Actual: 48',
    ],
    [
      'groups that are repeated',
      'Depot,2023,2023,2024,2024\n,Planned,Actual,Planned,Actual\nAlder,40,41,50,48',
      '- Depot: Alder; 2023 Planned: 40; 2023 Actual: 41; 2024 Planned: 50; 2024 Actual: 48',
    ],
    [
      'units in a row below',
      'Station,Depth,Warmth\n,m,°C\nPier,12,8.5\nWeir,3,9.5',
      '- Station: Pier; Depth m: 12; Warmth °C: 8.5',
    ],
    [
      'one very long name',
      `name,${'How well did you like it? '.repeat(4)},city\nOrla,5,Galway`,
      `- name: Orla; ${'How well did you like it? '.repeat(4).trim()}: 5; city: Galway`,
    ],
    ['values only', 'Ann,34,1.5\nBob,35,2.5', '- Ann; 34; 1.5'],
    ['values only, some of them words over numbers', 'Ann,unknown,17\nBob,35,18\nCy,36,20', '- Ann; unknown; 17'],
    ['values only, all of them words that come again', 'yes,no,yes\nno,no,yes\nyes,yes,no', '- yes; no; yes'],
    [
      'a repeated name over words',
      'name,phone,phone\nOrla,none,none\nBram,none,home',
      '- name: Orla; phone: none; phone: none',
    ],
  ])('%s', async (_, text, first) => {
    expect((await read(text)).records[0]).toBe(first);
  });
});

describe('lines above and below a table', () => {
  test('are records of their own, and no names', async () => {
    const text =
      'Report:;North\nDate:;2024-03-05\n\narticle;shelf;count\nLantern;B4;40\nKettle;C1;7\n\nSource: the depot.\nPrinted by Ann';
    const { records, memories } = await read(text);
    expect(records).toEqual([
      '- Report:; North',
      '- Date:; 2024-03-05',
      '- article: Lantern; shelf: B4; count: 40',
      '- article: Kettle; shelf: C1; count: 7',
      '- Source: the depot.',
      '- Printed by Ann',
    ]);
    expect(memories.map(({ location }) => location?.row)).toEqual([1, 2, 5, 6, 8, 9]);
  });

  test('lines with separators that are filled up, as spreadsheets export them', async () => {
    const text = 'Stock report,,\nNorth depot,,\n,,\narticle,shelf,count\nLantern,B4,40\n,,\nEnd of the report,,';
    expect((await read(text)).records).toEqual([
      '- Stock report',
      '- North depot',
      '- article: Lantern; shelf: B4; count: 40',
      '- End of the report',
    ]);
  });

  test('twenty lines', async () => {
    const lines = Array.from({ length: 20 }, (_, i) => `Note ${i} on the data, and more of it`);
    const rows = Array.from({ length: 40 }, (_, i) => `S${i},${i},${i * 2}`);
    const { records } = await read(`${lines.join('\n')}\nstation,depth,warmth\n${rows.join('\n')}`);
    expect(records[20]).toBe('- station: S0; depth: 0; warmth: 0');
  });
});

describe('a stray quote costs its row', () => {
  test.each([
    [
      'at the beginning of a cell, closed by nothing',
      'Pipe,"5 wide,3.20\nValve,brass,8.90',
      ['- part: Pipe; size: "5 wide; price: 3.20', '- part: Valve; size: brass; price: 8.90'],
    ],
    [
      'closed by the quote of a later row',
      'Pipe,"5 wide,3.20\nBolt,"2, long",0.40\nValve,brass,8.90',
      [
        '- part: Pipe; size: "5 wide; price: 3.20',
        '- part: Bolt; size: 2, long; price: 0.40',
        '- part: Valve; size: brass; price: 8.90',
      ],
    ],
    [
      'closed by another stray one in another column',
      'Pipe,"5 wide,3.20\nBolt",2 long,0.40\nValve,brass,8.90',
      [
        '- part: Pipe; size: "5 wide; price: 3.20',
        '- part: Bolt"; size: 2 long; price: 0.40',
        '- part: Valve; size: brass; price: 8.90',
      ],
    ],
    [
      'behind a closing quote',
      'Pipe,"5" wide,3.20\nValve,brass,8.90',
      ['- part: Pipe; size: "5" wide; price: 3.20', '- part: Valve; size: brass; price: 8.90'],
    ],
  ])('%s', async (_, rows, records) => {
    expect((await read(`part,size,price\n${rows}`)).records).toEqual(records);
  });

  test('a quoted cell may have several lines', async () => {
    const { records } = await read('name,address\nOrla,"12 Main Street\nGalway, Ireland"\nBram,Ghent');
    expect(records).toEqual(['- name: Orla; address: 12 Main Street Galway, Ireland', '- name: Bram; address: Ghent']);
    expect((await read('note\n"one\ntwo"\nthree')).records).toEqual(['- note: one two', '- note: three']);
  });

  test('in the middle of many rows', async () => {
    const rows = Array.from({ length: 5_000 }, (_, i) => `P${i},${i === 2_500 ? '"' : ''}size ${i},"a, ${i}"`);
    const { records } = await read(`part,size,note\n${rows.join('\n')}`);
    expect(records).toHaveLength(5_000);
    expect(records[2_499]).toBe('- part: P2499; size: size 2499; note: a, 2499');
    expect(records[2_501]).toBe('- part: P2501; size: size 2501; note: a, 2501');
    expect(records[2_500]).toContain('size 2500');
  });

  test('rows with a stray quote each take time that grows with their number', async () => {
    const table = (count: number) => `a,b,c\n${'x,"y,z\nx,"y"",z\n'.repeat(count)}`;
    const [few, many] = [await processorTime(() => read(table(2_000))), await processorTime(() => read(table(20_000)))];
    expect(many).toBeLessThan(60 * few + 500);
  });
});

test('rows of very many cells', async () => {
  const row = (first: number) => Array.from({ length: 300_000 }, (_, i) => first + i).join();
  const { text } = await extract({ body: `${row(0)}\n${row(7)}`, kind: 'csv', fileName: null, documentDate: null });
  expect(text.slice(0, 16)).toBe('- 0; 1; 2; 3; 4;');
});
