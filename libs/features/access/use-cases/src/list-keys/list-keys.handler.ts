import { Inject } from '@nestjs/common';
import { type IQueryHandler, QueryHandler } from '@nestjs/cqrs';
import { API_KEYS, type IssuedKeys } from '#features/access';
import { KEY_USES, type KeyUses } from '#ports/key-uses';
import { type ListedKey, ListKeys } from './list-keys.query.ts';

@QueryHandler(ListKeys)
export class ListKeysHandler implements IQueryHandler<ListKeys> {
  constructor(
    @Inject(API_KEYS) private readonly keys: IssuedKeys,
    @Inject(KEY_USES) private readonly uses: KeyUses,
  ) {}

  async execute({ principal }: ListKeys): Promise<readonly ListedKey[]> {
    const keys = this.keys.of(principal.organization);
    const uses = await this.uses.last(keys.map(({ id }) => id));
    return keys.map((key) => ({ ...key, lastUsedAt: uses.get(key.id) ?? null }));
  }
}
