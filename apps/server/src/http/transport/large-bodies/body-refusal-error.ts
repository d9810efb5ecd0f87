import { type InputError, invalid } from '#platform/input';
import { MAX_JSON_DEPTH, MAX_JSON_VALUES } from '#platform/kernel';
import { type ApiError, payloadTooLarge } from '../../errors/api-error.ts';
import { misspelt } from '../../validation/misspelt-fields.ts';
import type { BodyRefusal } from './read-json.ts';

export function bodyRefusalError(refusal: BodyRefusal): ApiError | InputError {
  if (typeof refusal === 'object') return misspelt(refusal);
  switch (refusal) {
    case 'not_utf8':
      return invalid('body', 'The body is not valid UTF-8');
    case 'not_json':
      return invalid('body', 'The body is not valid JSON');
    case 'depth':
      return payloadTooLarge('body', `The body is nested deeper than ${MAX_JSON_DEPTH} levels`);
    case 'values':
      return payloadTooLarge('body', `The body has more than ${MAX_JSON_VALUES} JSON values`);
  }
}
