import { misspellingIn, spellingOf } from './spelling.ts';

const OWN = ['containerTag', 'threshold', 'limit', 'docId', 'page', 'ids', 'content'];
const spelling = spellingOf(OWN, [...OWN, 'containerTags', 'sources', 'contents']);
const meantBy = (key: string) => misspellingIn({ [key]: 1 }, spelling)?.meant ?? null;

test.each([
  ['another case', 'containertag', 'containerTag'],
  ['another case', 'ContainerTag', 'containerTag'],
  ['with _', 'container_tag', 'containerTag'],
  ['with _ in capitals', 'CONTAINER_TAG', 'containerTag'],
  ['with -', 'container-tag', 'containerTag'],
  ['a letter more', 'containerTagg', 'containerTag'],
  ['a letter more at the beginning', 'xlimit', 'limit'],
  ['a letter less', 'treshold', 'threshold'],
  ['a letter less at the end', 'docI', 'docId'],
  ['another letter', 'thrashold', 'threshold'],
  ['two letters swapped', 'limti', 'limit'],
  ['a name of five letters', 'doc_id', 'docId'],
])('%s: %s means %s', (_, key, name) => {
  expect(meantBy(key)).toBe(name);
});

test.each([
  ['a known name', 'containerTag'],
  ['a known name of four letters', 'page'],
  ['one slip away from a name of four letters', 'pages'],
  ['one slip away from a name of three letters', 'id'],
  ['a name of another route', 'containerTags'],
  ['a name of another route that is one slip away', 'contents'],
  ['two edits', 'containerTaggs'],
  ['an edit and another case', 'containertagg'],
  ['two letters swapped that are not adjacent', 'timil'],
  ['a longer word', 'contentType'],
  ['another word', 'title'],
  ['no letter', '__'],
  ['empty', ''],
  ['very long', `container${'_'.repeat(100)}tag`],
  ['a name of every object', 'constructor'],
  ['the prototype', '__proto__'],
])('%s is nothing: %s', (_, key) => {
  expect(meantBy(key)).toBeNull();
});

test.each([null, 'containertag', 1, [{ containertag: 1 }], [], {}, { metadata: { containertag: 1 } }])(
  'only the keys of an object count, not what is inside: %j',
  (value) => {
    expect(misspellingIn(value, spelling)).toBeNull();
  },
);

test('the first key that is a slip is named', () => {
  const body = { content: 'x', other: 1, limits: 1, container_tag: 'a' };
  expect(misspellingIn(body, spelling)).toEqual({ key: 'limits', meant: 'limit' });
});
