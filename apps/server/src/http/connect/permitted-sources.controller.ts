import { Body, Controller, Get, HttpCode, Param, Post, Query, Req, Res } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import type { FastifyReply, FastifyRequest } from 'fastify';
import {
  ArriveConnection,
  ArriveConnectionInput,
  ConfigureConnectionInput,
  configureConnection,
  ListResourcesInput,
  listResources,
  OpenPicker,
  OpenPickerInput,
  TakeNotification,
} from '#features/connections/use-cases';
import type { Principal } from '#platform/kernel';
import { Public, Requires } from '../access/permission.ts';
import { CurrentPrincipal } from '../access/principal.ts';
import { valueOrThrow } from '../errors/refusals.ts';
import { Documented } from '../openapi/documented.ts';
import { InSection } from '../openapi/sections.ts';
import { ConfiguredConnection, PickerAddress, ResourceList, resourceList } from './connect.responses.ts';

const OF_CONNECTION = { id: { description: 'Id of the connection.' } };
const OF_PROVIDER = { provider: { description: 'Name of the provider.', example: 'google-drive' } };

const LEADS_ON = {
  mediaType: 'text/html',
  description: 'Leads the browser on.',
  headers: { location: 'The page that asks, or `redirectUrl` with `error`.' },
};

/** Connections that people permit at the provider, and of which they choose parts. */
@Controller('v3/connections')
@InSection('Sources')
export class PermittedSourcesController {
  constructor(
    private readonly commands: CommandBus,
    private readonly queries: QueryBus,
  ) {}

  @Get('auth/callback/:provider')
  @HttpCode(302)
  @Public()
  @Documented({
    id: 'returnFromProvider',
    summary: 'Come back from a provider',
    description:
      'Where a provider sends the browser of a person who has permitted to read an account, or has refused. The browser goes on to the page that asks, and from there to `redirectUrl` with `connectionId` or `error`. `state` counts for an hour and makes one connection.',
    path: OF_PROVIDER,
    answer: LEADS_ON,
    status: 302,
    refuses: [],
  })
  arrive(
    @Param('provider') provider: string,
    @Query() input: ArriveConnectionInput,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<void> {
    return this.#leadOn(provider, input, reply);
  }

  @Get(':provider/callback')
  @HttpCode(302)
  @Public()
  @Documented({
    id: 'returnFromProviderShortly',
    summary: 'Come back from a provider, by the other address',
    description: 'As `GET /v3/connections/auth/callback/{provider}`.',
    path: OF_PROVIDER,
    answer: LEADS_ON,
    status: 302,
    refuses: [],
  })
  arriveShortly(
    @Param('provider') provider: string,
    @Query() input: ArriveConnectionInput,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<void> {
    return this.#leadOn(provider, input, reply);
  }

  @Get(':id/resources')
  @Requires('full')
  @Documented({
    id: 'listResources',
    summary: 'List what can be chosen of a source',
    description:
      'Of `parent_id`, or at the top. 400 if the account no longer permits it; 501 for a source of which nothing is chosen.',
    path: OF_CONNECTION,
    answer: ResourceList,
    refuses: [404],
  })
  async resources(
    @CurrentPrincipal() principal: Principal,
    @Param('id') id: string,
    @Query() input: ListResourcesInput,
  ): Promise<ResourceList> {
    return resourceList(valueOrThrow(await this.queries.execute(listResources(principal, id, input))));
  }

  @Post(':id/configure')
  @HttpCode(200)
  @Requires('full-write')
  @Documented({
    id: 'configureConnection',
    summary: 'Choose what a connection reads',
    description:
      'Files, and folders with everything below them, also what is moved there later. It replaces what was chosen before, and a sync begins. 501 for a source of which nothing is chosen.',
    path: OF_CONNECTION,
    answer: ConfiguredConnection,
    refuses: [404],
  })
  async configure(
    @CurrentPrincipal() principal: Principal,
    @Param('id') id: string,
    @Body() input: ConfigureConnectionInput,
  ): Promise<ConfiguredConnection> {
    const command = configureConnection(principal, id, input);
    valueOrThrow(await this.commands.execute(command));
    const { length } = command.resources;
    return { success: true, message: `${length} ${length === 1 ? 'resource is' : 'resources are'} selected` };
  }

  @Post(':id/google-drive/hosted-picker')
  @HttpCode(200)
  @Requires('full-write')
  @Documented({
    id: 'openPicker',
    summary: 'Get a link to the page on which a person chooses',
    description: 'The link is for this connection alone and counts for an hour.',
    path: OF_CONNECTION,
    answer: PickerAddress,
    refuses: [404],
  })
  async picker(
    @CurrentPrincipal() principal: Principal,
    @Param('id') id: string,
    @Body() { redirectUrl }: OpenPickerInput,
  ): Promise<PickerAddress> {
    const command = new OpenPicker(principal, id, 'google-drive', redirectUrl ?? null);
    return { url: valueOrThrow(await this.commands.execute(command)), expiresIn: '1 hour' };
  }

  @Post('notifications/:provider')
  @HttpCode(204)
  @Public()
  @Documented({
    id: 'takeNotification',
    summary: 'Take a notification of a provider',
    description:
      'Providers send them when something has changed; they say so by their headers, and only have a connection synced. One that does not come from a channel of this server is answered with 404.',
    path: OF_PROVIDER,
    answer: null,
    refuses: [404],
  })
  async notify(@Param('provider') provider: string, @Req() request: FastifyRequest): Promise<void> {
    const headers = Object.entries(request.headers).map(([name, value]) => [name, String(value)] as const);
    valueOrThrow(await this.commands.execute(new TakeNotification(provider, Object.fromEntries(headers))));
  }

  async #leadOn(provider: string, { state, code, error }: ArriveConnectionInput, reply: FastifyReply): Promise<void> {
    const arrival = { provider, state, code: code ?? null, error: error ?? null };
    const location = valueOrThrow(await this.commands.execute(new ArriveConnection(arrival)));
    reply.headers({ location, 'referrer-policy': 'no-referrer', 'cache-control': 'no-store' });
  }
}
