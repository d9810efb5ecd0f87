import { subjectToken } from './subject.ts';

test('what has a meaning in subjects cannot come in through a name', () => {
  expect(subjectToken('aZ09-_')).toBe('aZ09-_');
  expect(subjectToken('a.b>c*d e\r\n')).toMatch(/^[A-Za-z0-9%]+$/);
  expect(() => subjectToken('')).toThrow(RangeError);
});

test('different names stay different', () => {
  const names = ['a.b', 'a%2eb', 'a b', 'a*b', 'ä', 'a_b'];
  expect(new Set(names.map(subjectToken)).size).toBe(names.length);
});
