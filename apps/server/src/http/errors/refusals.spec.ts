import { err, ok } from '#kernel';
import { STATUS_OF } from './api-error.ts';
import { accepted } from './refusals.ts';

test.each([
  ['forbidden', 403],
  ['not_found', 404],
] as const)('the refusal %s is %d', (refusal, status) => {
  expect(() => accepted(err(refusal))).toThrow(expect.objectContaining({ code: refusal }));
  expect(STATUS_OF[refusal]).toBe(status);
});

test('accepted() returns the value of a success', () => {
  expect(accepted(ok('value'))).toBe('value');
});
