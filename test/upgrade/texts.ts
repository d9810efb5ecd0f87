/** Invented texts of the states in this folder. */

export const HARBOUR = [
  'The ferry to the island leaves at seven from the stone pier.',
  'Old Benno mends nets behind the salt store. He charges in smoked eel.',
  'The harbour master keeps the tide tables in a green tin box.',
  'A storm took the roof of the boathouse. The beams were saved and dried.',
  'Nobody may anchor north of the buoy while the oysters are seeded.',
  'The lighthouse lamp was replaced by a quieter one in the spring.',
  'Two barges of gravel arrive each month for the new breakwater.',
  'The pilot speaks four languages and whistles in a fifth.',
  'Fresh water is sold at the crane by the barrel until noon.',
  'Gulls nest on the customs house, so its windows stay shut in May.',
] as const;

export const CHAT = [
  'Odalys: I moved the workshop to the attic last week.',
  'Ferrin: Is there room for the letterpress up there?',
  'Odalys: There is, but the stairs creak and the floor needs a second beam.',
  'Ferrin: My uncle has oak beams left from his barn.',
] as const;

/** One turn of a long conversation. */
export const turn = (i: number): string =>
  `${i % 2 === 0 ? 'Odalys' : 'Ferrin'}: Crate ${i} holds ${i + 3} trays of type, mostly ${TYPES[i % TYPES.length]}.`;
const TYPES = ['italics', 'ornaments', 'capitals', 'figures', 'ligatures'] as const;

const CYCLE = [
  'The mill turns when the sluice is opened by the width of a hand. ',
  'Rye is ground on Mondays and buckwheat on the day after. ',
  'A bell on the hopper rings before the stones run dry. ',
  'The miller dresses the stones by lamplight in the first week of the month. ',
  'Eels pass the wheel through a ladder of baskets. ',
  'Flour for the school is set aside in blue sacks. ',
] as const;

/** Too long for an event: it becomes a blob. */
export function longText(first: string, characters = 36_000): string {
  let text = `${first} `;
  for (let i = 0; text.length < characters; i += 1) text += CYCLE[i % CYCLE.length];
  return text;
}

/** Takes some seconds to embed. */
export const manyUnlikeSentences = (): string =>
  Array.from(
    { length: 40 },
    (_, i) => `Shelf ${i} of the seed bank keeps ${i * 7 + 2} jars of vetch number ${i}.`,
  ).join('\n\n');

export const HTML = `<!doctype html><html><head><title>Bee calendar</title></head><body><h1>Bee calendar</h1>
<p>In March the hives are weighed.</p><ul><li>In May the first swarm leaves the linden.</li>
<li>In July honey is taken from the upper frames.</li></ul><table><tr><th>Hive</th><th>Keeper</th></tr>
<tr><td>North slope</td><td>Ilvane</td></tr></table></body></html>`;
export const CSV = 'boat,berth,colour\nMarigold,4,yellow\nPetrel,9,grey\nQuiet Anne,12,"white, blue keel"\n';
export const JSON_FILE = JSON.stringify({
  orchard: 'Upper Lethe',
  trees: [
    { kind: 'quince', rows: 3 },
    { kind: 'medlar', rows: 2, note: 'prune after the frost' },
  ],
});
export const MARKDOWN = '# Kiln\n\nFire it slowly.\n\n## Glazes\n\n- Ash glaze runs at cone ten.\n- Slip stays matt.\n';
/** Nothing but its first bytes: enough to be refused for its type. */
export const PDF = '%PDF-1.7\n%âãÏÓ\n';
/** Markup in which there is no text. */
export const EMPTY_HTML = '<!doctype html><html><head></head><body><img src="x.png"></body></html>';
