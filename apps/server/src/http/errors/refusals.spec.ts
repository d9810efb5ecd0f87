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

test('too many tags are a 400 that names the field', () => {
  const refusal = { code: 'invalid_request', details: 'containerTags' };
  expect(() => accepted(err('too_many_tags'))).toThrow(expect.objectContaining(refusal));
  expect(STATUS_OF.invalid_request).toBe(400);
});

test('accepted() returns the value of a success', () => {
  expect(accepted(ok('value'))).toBe('value');
});
