import { fitsIntent, type Intent, intentOf } from './intent.ts';

test.each<[string, Intent]>([
  ['When did Ann move?', 'when'],
  ['what year did Ann move', 'when'],
  ['How long ago did Ann move?', 'when'],
  ['Where does Ann live?', 'where'],
  ['Which city does Ann live in?', 'where'],
  ['In which quiet town does she live?', 'where'],
  ['Who painted it?', 'who'],
  ["Who's the boss?", 'who'],
  ['Whose bag is this?', 'who'],
  ['Who called when the mail arrived?', 'who'],
  ['Where was Ann when it rained?', 'where'],
  ['How many cats does Ann have?', 'how many'],
  ['How old is the cat?', 'how many'],
  ['What is the total price?', 'how many'],
  ['Why did Ann move?', 'why'],
  ['What was the reason for it?', 'why'],
  ['What does Ann eat?', 'other'],
  ['tea', 'other'],
  ['', 'other'],
])('%j asks for: %s', (question, intent) => {
  expect(intentOf(question)).toBe(intent);
});

test.each<[Intent, string, string]>([
  ['when', 'We moved last summer.', 'We moved.'],
  ['where', 'We met in Lisbon.', 'We met Ann.'],
  ['where', 'It hangs in the kitchen.', 'It hangs there.'],
  ['who', 'The song is by Nina.', 'The song is old.'],
  ['who', 'It was my sister.', 'It was fun.'],
  ['who', 'Ann: it was Tom.', 'Ann: it was late.'],
  ['how many', 'We saw three owls.', 'We saw owls.'],
  ['how many', 'It cost 20 euros.', 'It cost a lot.'],
  ['why', 'I left because it rained.', 'I left.'],
])('for %s, %j fits and %j does not', (intent, fitting, other) => {
  expect([fitsIntent(intent, fitting), fitsIntent(intent, other)]).toEqual([true, false]);
  expect(fitsIntent('other', fitting)).toBe(false);
});
