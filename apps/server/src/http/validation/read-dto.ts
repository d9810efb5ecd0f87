import type { ArgumentMetadata, PipeTransform } from '@nestjs/common';
import { validateSync } from 'class-validator';
import { ApiError, invalid } from '../errors/api-error.ts';
import { type DtoClass, fieldsOf, isObject } from './fields.ts';

// Unknown keys never reach the validator, and one message is all that the error body holds.
const VALIDATION = { stopAtFirstError: true, forbidUnknownValues: false };

/**
 * An instance with the known fields of the input; unknown keys are left behind, null counts as absent, nothing is
 * converted.
 * @throws ApiError naming the first field that is wrong
 */
export function readDto<T extends object>(Dto: DtoClass<T>, input: unknown, prefix = ''): T {
  if (!isObject(input)) throw invalid('body', 'The body must be a JSON object');
  const dto = new Dto();
  const values = dto as Record<string, unknown>;
  for (const name of fieldsOf(Dto).keys()) {
    const value = input[name];
    if (value !== undefined && value !== null) values[name] = value;
  }
  const wrong = validateSync(dto, VALIDATION)[0];
  if (wrong !== undefined) throw refusal(Dto, wrong.property, wrong.value, prefix);
  for (const [name, { nested }] of fieldsOf(Dto)) {
    if (nested !== null && values[name] !== undefined)
      values[name] = readDto(nested, values[name], `${prefix}${name}.`);
  }
  return dto;
}

function refusal(dto: DtoClass, property: string, value: unknown, prefix: string): ApiError {
  const name = prefix + property;
  const complaint = fieldsOf(dto).get(property)?.complaint(value);
  if (value === undefined || !complaint) return invalid(name, `${name} is required`);
  const place = complaint.path ?? name + (complaint.below ?? '');
  const message = complaint.path === undefined ? `${place} ${complaint.says}` : complaint.says;
  return new ApiError(complaint.code ?? 'invalid_request', message, place);
}

/** Turns every parameter whose type is a DTO class into a checked instance of it. */
export class DtoPipe implements PipeTransform {
  transform(value: unknown, { metatype }: ArgumentMetadata): unknown {
    if (metatype === undefined || fieldsOf(metatype).size === 0) return value;
    return readDto(metatype as DtoClass, value ?? {});
  }
}
