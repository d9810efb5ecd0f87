import { extractDocument } from '../../index.ts';

const read = (lines: readonly string[]) =>
  extractDocument({ body: lines.join('\n'), kind: 'text', fileName: null, documentDate: null });
const textOf = async (...lines: readonly string[]) => (await read(lines)).text.split('\n');
const LRM = '\u200e';

test('an export of iOS: notices, files and messages of several lines', async () => {
  const lines = [
    `[13/03/2024, 09:30:12] Harbour crew: ${LRM}Messages and calls are end-to-end encrypted. Only people in this chat can read them.`,
    '[13/03/2024, 09:31:00] Orla Byrne: The crane is closed.',
    '',
    'It opens on Monday: 9:30',
    `${LRM}[13/03/2024, 09:32:00] Bram: ${LRM}image omitted`,
    `${LRM}[13/03/2024, 09:33:00] \u202a+47 912 34 567\u202c: ${LRM}<attached: 00000012-PHOTO.jpg>`,
    `[13/03/2024, 21:34:00] Bram: I moved to pier two ${LRM}<This message was edited>`,
    '',
  ];
  const { text, memories, date } = await read(lines);
  expect(text.split('\n')).toEqual([
    '[13 March 2024, 09:30] system: Messages and calls are end-to-end encrypted. Only people in this chat can read them.',
    '[13 March 2024, 09:31] Orla Byrne: The crane is closed.',
    '',
    'It opens on Monday: 9:30',
    '[13 March 2024, 09:33] +47 912 34 567: [file 00000012-PHOTO.jpg]',
    '[13 March 2024, 21:34] Bram: I moved to pier two',
  ]);
  expect(memories.map(({ speaker, location }) => [speaker, location?.date])).toEqual([
    ['system', '2024-03-13T09:30:12'],
    ['Orla Byrne', '2024-03-13T09:31:00'],
    ['+47 912 34 567', '2024-03-13T09:33:00'],
    ['Bram', '2024-03-13T21:34:00'],
  ]);
  expect(date).toBe('2024-03-13');
});

test('an export of Android: system lines, files and what was left out', async () => {
  const lines = [
    '12/31/23, 9:41\u202fPM - Orla created group "Harbour: crew"',
    '12/31/23, 9:42\u202fPM - Orla: The crane is closed',
    '1/1/24, 12:05\u202fAM - Bram: <Media omitted>',
    '1/1/24, 12:06\u202fAM - Bram: IMG-20240101-WA0001.jpg (file attached)',
    'The new crane',
  ];
  expect(await textOf(...lines)).toEqual([
    '[31 December 2023, 21:41] system: Orla created group "Harbour: crew"',
    '[31 December 2023, 21:42] Orla: The crane is closed',
    '[1 January 2024, 00:06] Bram: [file IMG-20240101-WA0001.jpg]',
    'The new crane',
  ]);
});

test.each([
  ['German', '31.12.23, 21:41 - '],
  ['French', '31/12/2023 à 21:41 - '],
  ['Swedish', '2023-12-31 21:41 - '],
  ['Dutch', '31-12-2023 21:41 - '],
  ['Finnish', '[31.12.2023 klo 21.41.07] '],
  ['Spanish', '31/12/23, 9:41 p. m. - '],
  ['English (India)', '31/12/23, 9:41 pm - '],
  ['Hungarian', '2023. 12. 31. 21:41 - '],
  ['Korean', '2023년 12월 31일 오후 9:41, '],
  ['Korean, iOS', '[2023. 12. 31. 오후 9:41:07] '],
  ['Chinese', '[2023/12/31 下午9:41:07] '],
  ['Japanese', '2023/12/31 21:41 - '],
  ['Arabic', '٣١\u200f/١٢\u200f/٢٠٢٣، ٩:٤١ م - '],
])('the date of an export in %s', async (_, head) => {
  expect(await textOf(`${head}Orla: One`, `${head}Bram : Two`)).toEqual([
    '[31 December 2023, 21:41] Orla: One',
    '[31 December 2023, 21:41] Bram: Two',
  ]);
});

test.each([
  ['a number above 12 is a day', ['3/4/24, 9:41 PM - ', '3/13/24, 9:41 PM - '], '4 March 2024'],
  ['dates do not go back', ['05/03/2024, 09:30 - ', '06/03/2024, 09:30 - ', '01/04/2024, 09:30 - '], '5 March 2024'],
  [
    'dates do not go back, month first',
    ['03/05/2024, 09:30 - ', '03/06/2024, 09:30 - ', '04/01/2024, 09:30 - '],
    '5 March 2024',
  ],
  ['with AM and PM the month is first', ['3/5/24, 9:41 AM - ', '3/5/24, 9:42 AM - '], '5 March 2024'],
  ['else the day is', ['3/5/24, 9:41 - ', '3/5/24, 9:42 - '], '3 May 2024'],
])('day and month: %s', async (_, heads, date) => {
  const [first] = await textOf(...heads.map((head) => `${head}Orla: Hi`));
  expect(first).toMatch(new RegExp(`^\\[${date}, `));
});

test.each([
  [
    'two of ten lines have no head before them',
    ['Notes', 'of the crew', ...Array.from({ length: 8 }, (_, i) => `3/5/24, 9:4${i} AM - Orla: Hi`)],
  ],
  [
    'the lines are a log',
    ['2024-03-05 09:30:00 - INFO: up', '2024-03-05 09:30:01 - ERROR: no crane', '2024-03-05 09:30:02 - INFO: down'],
  ],
  ['there is one line', ['3/5/24, 9:41 AM - Orla: Hi']],
  ['nobody speaks', ['3/5/24, 9:41 AM - boat in', '3/5/24, 9:42 AM - boat out']],
  ['the dates do not exist', ['45/45/24, 9:41 - Orla: Hi', '45/45/24, 9:42 - Orla: Hi']],
])('a text is no export if %s', async (_, lines) => {
  expect(await textOf(...lines)).toEqual(lines);
});

test('one line of ten may have another form', async () => {
  const lines = ['Harbour crew', ...Array.from({ length: 9 }, (_, i) => `3/5/24, 9:4${i} AM - Orla: Hi`)];
  expect((await textOf(...lines)).slice(0, 3)).toEqual(['Harbour crew', '', '[5 March 2024, 09:40] Orla: Hi']);
});
