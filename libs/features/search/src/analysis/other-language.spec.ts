import { isOtherThanEnglish } from '../index.ts';

test.each([
  'Der Reiher wartet am Ufer.',
  'Wo sind die Schlüssel?',
  'Elle garde son vélo à la cave.',
  'Wat is de droombaan van Paula?',
  'De verwarming is sinds maandag kapot.',
  'A Emma ensina matemática numa escola secundária.',
  'Paula vuole diventare veterinaria.',
  'Zebranie przełożono na czwartek po południu.',
  'Что пугает девочку?',
  '文件超过2GB时软件就会崩溃。',
  'האנפה מחכה על שפת המים.',
])('another language than English: %s', (text) => {
  expect(isOtherThanEnglish(text)).toBe(true);
});

test.each([
  '',
  '4711',
  'Zebra 12',
  'Where is the cat?',
  'An admin sets a secret.',
  'Ana Lima repairs violins in Porto.',
  'const total = items.map((item) => item.price);',
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk',
  'She said “Guten Morgen” to the children and went on to the station.',
])('English, or no known language: %s', (text) => {
  expect(isOtherThanEnglish(text)).toBe(false);
});

test('the detected language can be given', () => {
  expect(isOtherThanEnglish('An admin sets a secret', 'ga')).toBe(false);
  expect(isOtherThanEnglish('Der Reiher wartet am Ufer.', 'de')).toBe(true);
  expect(isOtherThanEnglish('Der Reiher wartet am Ufer.', null)).toBe(false);
});
