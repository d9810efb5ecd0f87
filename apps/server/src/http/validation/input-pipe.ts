import type { ArgumentMetadata, PipeTransform } from '@nestjs/common';
import { fieldsOf, type InputClass, readInput, type UnknownKeys } from '#platform/input';

/** Turns every parameter whose type declares fields into a checked instance of that type. */
export class InputPipe implements PipeTransform {
  constructor(private readonly unknownKeys: UnknownKeys) {}

  transform(value: unknown, { metatype }: ArgumentMetadata): unknown {
    if (metatype === undefined || fieldsOf(metatype).length === 0) return value;
    return readInput(metatype as InputClass, value ?? {}, this.unknownKeys);
  }
}
