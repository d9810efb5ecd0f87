import { readFixture } from '../testing/uploads.ts';

/** Office files that other programs wrote, and inputs of bug reports (`test/fixtures/office`). */

async function read(fileName: string): Promise<readonly string[]> {
  const { text } = await readFixture('office', fileName);
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
  [
    'docx-textbox-choice.docx',
    [
      'Before the box.',
      'TEXTBOXCHOICE The gate code is on the board.',
      'Middle.',
      'TEXTBOXPLAIN Boats under nine metres only.',
      'After the box.',
    ],
  ],
  ['docx-header.docx', ['HEADERTEXT Contract number 4711', 'The tenant pays on the first of the month.']],
  [
    'docx-ruby-fields.docx',
    ['駅は港の東にある。', 'Printed on FIELDSIMPLE 5 March 2024 by SMARTTAG Galway.', 'Weight‑limit 9 t🗹 checked'],
  ],
  [
    'docx-content-controls.docx',
    [
      'Ship: INLINECONTROL Gannet of the north.',
      'BLOCKCONTROL The berth is at pier two.',
      '| Cargo | CELLCONTROL slate',
      '| ROWCONTROL | crane',
    ],
  ],
  ['docx-equation.docx', ['The draught follows from d=m/(ρA) where m is the mass.', 'E=mc^2', 'End of the note.']],
  [
    'python-docx-letter.docx',
    [
      'Harbour Office Galway',
      'Invoice 2024-17, page 2',
      '# The berth',
      'The berth is at pier two since May.',
      'Shown against its style.',
      'Beside the box.',
      'Boats under nine metres only.',
      'Second section.',
      '| Berth | 40',
      '| Crane | 12',
    ],
  ],
  [
    'docxtpl-letter.docx',
    [
      'Contract number 4711',
      'The first line.',
      'The second line.',
      'See the box.',
      'Gate code 19<23',
      'Harbour & Sons, confidential',
    ],
  ],
  ['pandoc-changes.docx', ['The crossing takes seventy minutes.[1]', '1. In calm weather. ↑']],
  [
    'pandoc-equations.docx',
    [
      'The roots are x=(−b±√(b^2−4ac))/(2a) for a≠0.',
      '∑_(i=1)^n x_i^2=∫_0^∞ e^(−t) dt',
      'A=(1, 2; 3, 4), |v|=∛y, lim_(n→∞)1/n, p̂, (n¦k)',
    ],
  ],
  [
    'docx-npm-contract.docx',
    [
      '| Harbour Office Galway | Contract number 4711',
      'The tenant pays on the first of the month.[1]',
      'The gate code is on the board.',
      'Printed on 5 March 2024.',
      'Signed ☒',
      'Second section.',
      'Registered in Galway',
      '1. Without bicycles. ↑',
    ],
  ],
  ['docx-npm-equations.docx', ['The mean is m=(∑_(i=1)^n x_i)/n and the length c=√(a^2+b^2).']],
  [
    'pptx-chart.pptx',
    [
      '# Ships in port',
      '- Alder pier; Ships in May: 19',
      '- Birch pier; Ships in May: 23',
      'GROUPED The crane is green.',
    ],
  ],
  [
    'pptx-smartart.pptx',
    [
      '# How a ship berths',
      'SMARTART Call the pilot by radio',
      'SMARTART Wait at the red buoy',
      'SMARTART Moor at Alder pier',
    ],
  ],
  [
    'python-pptx-charts.pptx',
    [
      '# Traffic',
      'Ships by half-year',
      'Share of all ships',
      '- Half-year: 2023 first half; Ferries: 12.5%; Sailing boats: 87.5%',
      '- Half-year: 2023 second half; Ferries: 25.0%; Sailing boats: 75.0%',
      '- Half-year: 2024 first half; Sailing boats: 70.0%',
      '- Half-year: 2024 second half; Ferries: 50.0%; Sailing boats: 50.0%',
      '# Depths',
      '- 1.5; Depth: 12',
      '- 2.5; Depth: 17.25',
      'Measured at low tide.',
      'Ask for questions.',
    ],
  ],
  [
    'pptxgenjs-charts.pptx',
    [
      'Ships in port',
      'Ships and growth',
      '- Pier: Alder pier; Ships: 19; Growth: 0.5',
      '- Pier: Birch pier; Ships: 23; Growth: -0.25',
      'Birch pier was closed in May.',
      '- Slate; Cargo: 60',
      '- Grain; Cargo: 40',
    ],
  ],
  [
    'xlsxwriter-text-boxes.xlsx',
    [
      '# Stock',
      '- Depot: Alder; Stock: 40',
      '- Depot: Birch; Stock: 7',
      'Counted on 5 March 2024.',
      'By Orla & Bram.',
      'Birch is closed.',
      '# Notes',
      'The key is at the gate.',
    ],
  ],
])('%s', async (name, lines) => {
  expect(await read(name)).toEqual(lines);
});
