import { Inject } from '@nestjs/common';
import { type IQueryHandler, QueryHandler } from '@nestjs/cqrs';
import { Organizations } from '#features/access';
import { err, ok, type Result } from '#platform/kernel';
import { CONNECTION_FLOWS, type Flows, type LinkRefusal } from '../flows.ts';
import { Providers } from '../providers.ts';
import { type AskedPermission, ReadPermission } from './read-permission.query.ts';

@QueryHandler(ReadPermission)
export class ReadPermissionHandler implements IQueryHandler<ReadPermission> {
  constructor(
    private readonly organizations: Organizations,
    private readonly providers: Providers,
    @Inject(CONNECTION_FLOWS) private readonly flows: Flows,
  ) {}

  async execute({ request }: ReadPermission): Promise<Result<AskedPermission, LinkRefusal>> {
    const asked = (await this.flows?.open('permitted', request)) ?? null;
    if (asked === null) return err('link_over');
    const { provider, organization, tags, setup, redirectUrl, permission } = asked;
    return ok({
      ...{ provider, account: permission.account, tags },
      organization: await this.organizations.nameOf(organization),
      readsEverything: this.providers.isChosen(provider, setup),
      returnsTo: redirectUrl === null ? null : new URL(redirectUrl).host,
    });
  }
}
