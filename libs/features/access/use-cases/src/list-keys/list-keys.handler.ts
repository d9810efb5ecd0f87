import { Inject } from '@nestjs/common';
import { type IQueryHandler, QueryHandler } from '@nestjs/cqrs';
import { API_KEYS, type IssuedKey, type IssuedKeys } from '#features/access';
import { ListKeys } from './list-keys.query.ts';

@QueryHandler(ListKeys)
export class ListKeysHandler implements IQueryHandler<ListKeys> {
  constructor(@Inject(API_KEYS) private readonly keys: IssuedKeys) {}

  async execute({ principal }: ListKeys): Promise<readonly IssuedKey[]> {
    return this.keys.of(principal.organization);
  }
}
