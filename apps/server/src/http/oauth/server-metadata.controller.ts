import { Controller, Get, Inject } from '@nestjs/common';
import { AUTHORIZATION_SERVER, type AuthorizationServer } from '#features/oauth';
import { Public } from '../access/permission.ts';
import { Documented } from '../openapi/documented.ts';
import { InSection } from '../openapi/sections.ts';
import { AuthorizationServerMetadata, metadataOf } from './oauth.responses.ts';
import { offered } from './offered.ts';

@Controller('.well-known/oauth-authorization-server')
@InSection('Connections')
export class ServerMetadataController {
  constructor(@Inject(AUTHORIZATION_SERVER) private readonly server: AuthorizationServer | null) {}

  @Get()
  @Public()
  @Documented({
    id: 'getAuthorizationServer',
    summary: 'Read how applications get access',
    description: 'What applications read before they ask a person for access to the tool server.',
    answer: AuthorizationServerMetadata,
    refuses: [404],
  })
  metadata(): AuthorizationServerMetadata {
    return metadataOf(offered(this.server));
  }
}
