import { Controller, Get, Inject, Req } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { AUTHORIZATION_SERVER, type AuthorizationServer, SCOPES } from '#features/oauth';
import { Public } from '../access/permission.ts';
import { Documented } from '../openapi/documented.ts';
import { InSection } from '../openapi/sections.ts';
import { HTTP_OPTIONS, type HttpOptions } from '../options.ts';
import { publicUrl } from '../transport/public-url.ts';
import { ProtectedResource } from './protected-resource.responses.ts';
import { METADATA_PATH } from './rpc.ts';

/** What clients read when the tool server wants a key (RFC 9728). */
@Controller(METADATA_PATH)
@InSection('Tools')
export class ProtectedResourceController {
  constructor(
    @Inject(HTTP_OPTIONS) private readonly options: HttpOptions,
    @Inject(AUTHORIZATION_SERVER) private readonly server: AuthorizationServer | null,
  ) {}

  @Get('mcp')
  @Public()
  @Documented({
    id: 'getProtectedResource',
    summary: 'Read what protects the tool server',
    description:
      'It takes keys of this server. With OAuth in the settings it also takes tokens, and names who gives them: this server.',
    answer: ProtectedResource,
    refuses: [],
  })
  metadata(@Req() request: FastifyRequest): ProtectedResource {
    const origin = publicUrl(request, this.options);
    return {
      resource: `${origin}/mcp`,
      resource_name: 'Mneme',
      ...(this.server !== null && { authorization_servers: [this.server.issuer], scopes_supported: SCOPES }),
      bearer_methods_supported: ['header'],
      resource_documentation: `${origin}/v3/docs`,
    };
  }

  @Get()
  @Public()
  @Documented({
    id: 'getProtectedResourceOfServer',
    summary: 'Read what protects the tool server, by another path',
    description: 'As `GET /.well-known/oauth-protected-resource/mcp`.',
    answer: ProtectedResource,
    refuses: [],
  })
  metadataOfServer(@Req() request: FastifyRequest): ProtectedResource {
    return this.metadata(request);
  }
}
