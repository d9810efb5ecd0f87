import { asksWhen, endsInQuestion, holdsTimeWord } from './phrases.ts';

test.each([
  ['Really?', true],
  ['She asked "why?" ', true],
  ['本当？', true],
  ['Why? Because.', false],
  ['', false],
])('endsInQuestion(%j) is %s', (text, expected) => {
  expect(endsInQuestion(text)).toBe(expected);
});

test.each([
  'I went yesterday',
  'on 7 May 2023',
  'in May we moved',
  'last Friday',
  'last week',
  'two months ago',
  'at 10:30',
  'around 5pm',
  'back in 1998',
  'a few weeks later',
  'the weekend was great',
])('holdsTimeWord("%s") is true', (text) => {
  expect(holdsTimeWord(text)).toBe(true);
});

test.each(['you may go', 'they march on', 'I like painting', 'room 12', ''])('holdsTimeWord("%s") is false', (text) => {
  expect(holdsTimeWord(text)).toBe(false);
});

test.each([
  ['When did Caroline go?', true],
  ['What date is it?', true],
  ['How long ago was that?', true],
  ['What did Caroline paint?', false],
])('asksWhen(%j) is %s', (text, expected) => {
  expect(asksWhen(text)).toBe(expected);
});
