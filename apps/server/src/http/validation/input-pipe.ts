import type { ArgumentMetadata, PipeTransform } from '@nestjs/common';
import { fieldsOf, readInput, type UnknownKeys } from './read-input.ts';
import type { InputClass } from './rule.ts';

/** Turns every parameter whose type declares fields into a checked instance of that type. */
export class InputPipe implements PipeTransform {
  private readonly unknownKeys: UnknownKeys;

  constructor(unknownKeys: UnknownKeys) {
    this.unknownKeys = unknownKeys;
  }

  transform(value: unknown, { metatype }: ArgumentMetadata): unknown {
    if (metatype === undefined || fieldsOf(metatype).length === 0) return value;
    return readInput(metatype as InputClass, value ?? {}, this.unknownKeys);
  }
}
