import type { OrganizationId } from '#platform/kernel';
import { foldedText, type Statement, statementOf, textHash } from './statements.ts';

test.each([
  ['case', 'Mara Lives In OSLO', 'mara lives in oslo'],
  ['white space', ' Mara  lives\n in\tOslo ', 'Mara lives in Oslo'],
  ['a full stop', 'Mara lives in Oslo.', 'Mara lives in Oslo'],
  ['quotation marks and commas', '“Mara”, she said, lives in «Oslo»!', 'Mara she said lives in Oslo'],
  ['brackets and dashes', 'Mara (the baker) – lives in Oslo …', 'Mara the baker lives in Oslo'],
  ['full-width forms', 'Ｍａｒａ lives in Oslo。', 'Mara lives in Oslo'],
])('texts that differ in %s are equal', (_, one, other) => {
  expect(foldedText(one)).toBe(foldedText(other));
  expect(textHash('org', one)).toBe(textHash('org', other));
});

test.each([
  ['a sign', 'It is -5 degrees', 'It is 5 degrees'],
  ['a currency', 'It costs $5', 'It costs 5'],
  ['a share', 'It is 50%', 'It is 50'],
  ['a point within a number', 'Version 1.5', 'Version 15'],
  ['a question mark at the end', 'Mara lives in Oslo?', 'Mara lives in Oslo.'],
  ['a question mark within quotation marks at the end', '"Mara lives in Oslo?"', '"Mara lives in Oslo."'],
  ['a sign of a name', 'He writes C#', 'He writes C'],
  ['an apostrophe within a word', "It's Mara", 'Its Mara'],
  ['punctuation alone', '…', '?'],
])('texts that differ in %s are not', (_, one, other) => {
  expect(foldedText(one)).not.toBe(foldedText(other));
});

test('hashes of one organization are not those of another', () => {
  expect(textHash('org', 'text')).not.toBe(textHash('other' as OrganizationId, 'text'));
});

describe('statements', () => {
  const stated = ({
    tags = ['t'],
    documentDate = null,
    createdAt = 0,
    ...more
  }: Partial<Statement['document']> = {}) => ({
    ...{ tags, documentDate, createdAt, ...more },
  });
  const of = (text: string, document: Partial<Statement['document']> = {}, speaker: string | null = null) =>
    statementOf({ text, speaker, document: stated(document) });

  test('are equal for the same tags in any order, whenever they were said', () => {
    expect(of('Ann sails.', { tags: ['a', 'b'], documentDate: '2024-05-01' })).toBe(
      of('ann sails', { tags: ['b', 'a', 'a'], documentDate: '2025-05-01', createdAt: 5 }),
    );
  });

  test('differ by tags, speaker and the dates of which they speak', () => {
    const plain = of('Ann sails.');
    expect(of('Ann sails.', { tags: ['t', 'u'] })).not.toBe(plain);
    expect(of('Ann sails.', {}, 'Ben')).not.toBe(plain);
    const eventDate = ['2024-05-01'];
    expect(of('Ann sails.', { memory: { temporalContext: { documentDate: null, eventDate } } })).not.toBe(plain);
  });

  test('with a relative date are equal on the same day, by the document or else by the time of its creation', () => {
    const yesterday = (documentDate: string | null, createdAt = 0) =>
      of('Ann sailed yesterday.', { documentDate, createdAt });
    expect(yesterday('2024-05-02')).not.toBe(yesterday('2024-05-03'));
    expect(yesterday('2024-05-02T08:00:00Z')).toBe(yesterday('2024-05-02'));
    expect(yesterday(null, Date.UTC(2024, 4, 2, 9))).toBe(yesterday('2024-05-02'));
    expect(yesterday('unknown', Date.UTC(2024, 4, 2, 9))).toBe(yesterday('2024-05-02'));
  });
});
