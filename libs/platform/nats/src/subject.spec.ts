import { subjectToken } from './subject.ts';

test('characters with a meaning in subjects are escaped', () => {
  expect(subjectToken('aZ09-_')).toBe('aZ09-_');
  expect(subjectToken('a.b>c*d e\r\n')).toMatch(/^[A-Za-z0-9%]+$/);
  expect(() => subjectToken('')).toThrow(RangeError);
});

test('different names yield different tokens', () => {
  const names = ['a.b', 'a%2eb', 'a b', 'a*b', 'ä', 'a_b'];
  expect(new Set(names.map(subjectToken)).size).toBe(names.length);
});
