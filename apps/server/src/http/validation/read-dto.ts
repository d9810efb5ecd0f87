import type { ArgumentMetadata, PipeTransform } from '@nestjs/common';
import { ApiError, invalid } from '../errors/api-error.ts';
import { type Complaint, type DtoClass, fieldsOf, isObject } from './fields.ts';

/**
 * An instance with the known fields of the input; unknown keys are left behind, null counts as absent, nothing is
 * converted.
 * @throws ApiError naming the first field that is wrong
 */
export function readDto<T extends object>(Dto: DtoClass<T>, input: unknown, prefix = ''): T {
  if (!isObject(input)) throw invalid('body', 'The body must be a JSON object');
  const dto = new Dto();
  const values = dto as Record<string, unknown>;
  for (const [name, { required, complaint, nested }] of fieldsOf(Dto)) {
    const value = Object.hasOwn(input, name) ? input[name] : undefined;
    if (value === undefined || value === null) {
      if (required) throw invalid(prefix + name, `${prefix}${name} is required`);
      continue;
    }
    const wrong = complaint(value);
    if (wrong !== null) throw refusal(prefix + name, wrong);
    values[name] = nested === null ? value : readDto(nested, value, `${prefix}${name}.`);
  }
  return dto;
}

function refusal(name: string, complaint: Complaint): ApiError {
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
