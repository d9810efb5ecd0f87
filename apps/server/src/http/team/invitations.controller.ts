import { Body, Controller, Delete, Get, Header, HttpCode, Inject, Param, Post, Req, Res } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { AcceptWithSession } from '#features/sessions/use-cases';
import {
  AcceptInvitationInput,
  acceptInvitation,
  InviteMemberInput,
  inviteMember,
  ListInvitations,
  WithdrawInvitation,
} from '#features/team/use-cases';
import type { Principal } from '#platform/kernel';
import { Public, Requires } from '../access/permission.ts';
import { CurrentPrincipal } from '../access/principal.ts';
import { requireOwnPage } from '../access/session-guard.ts';
import { valueOrThrow } from '../errors/refusals.ts';
import { Documented } from '../openapi/documented.ts';
import { InSection } from '../openapi/sections.ts';
import { HTTP_OPTIONS, type HttpOptions } from '../options.ts';
import { BrowserSession } from '../sessions/browser-session.ts';
import { ACCEPT_PAGE, ACCEPT_POLICY } from './accept-page.ts';
import {
  AcceptedInvitation,
  acceptedInvitation,
  CreatedInvitation,
  InvitationList,
  invitationList,
  invitationRecord,
} from './team.responses.ts';

@Controller('v3/team/invitations')
@InSection('Team')
export class InvitationsController {
  constructor(
    private readonly commands: CommandBus,
    private readonly queries: QueryBus,
    private readonly session: BrowserSession,
    @Inject(HTTP_OPTIONS) private readonly options: HttpOptions,
  ) {}

  @Get()
  @Requires('admin')
  @Documented({
    id: 'listInvitations',
    summary: 'List the pending invitations',
    description: 'Without their tokens. Those that were accepted or withdrawn, or have expired, are left out.',
    answer: InvitationList,
    refuses: [],
  })
  list(@CurrentPrincipal() principal: Principal) {
    return this.queries.execute(new ListInvitations(principal)).then(invitationList);
  }

  @Post()
  @HttpCode(200)
  @Requires('admin')
  @Documented({
    id: 'createInvitation',
    summary: 'Invite a person',
    description:
      'The answer has the token; it is shown this once. It is valid for seven days and can be accepted once. A server with a mail server also mails the link, and `mail` says whether that worked. An invitation of the same address before is withdrawn; the address of a member is a conflict.',
    answer: CreatedInvitation,
    links: { withdrawInvitation: { id: 'id' } },
    refuses: [409],
  })
  async create(@CurrentPrincipal() principal: Principal, @Body() body: InviteMemberInput) {
    const { invitation, token } = valueOrThrow(await this.commands.execute(inviteMember(principal, body)));
    return { ...invitationRecord(invitation), token };
  }

  @Delete(':id')
  @HttpCode(204)
  @Requires('admin')
  @Documented({
    id: 'withdrawInvitation',
    summary: 'Withdraw an invitation',
    description: 'Its token is refused at once, and the address is erased.',
    path: { id: { description: 'Id of the invitation, as its creation and the list return it.' } },
    answer: null,
    refuses: [404],
  })
  async withdraw(@CurrentPrincipal() principal: Principal, @Param('id') id: string): Promise<void> {
    valueOrThrow(await this.commands.execute(new WithdrawInvitation(principal, id)));
  }

  @Get('accept')
  @Public()
  @Header('content-type', 'text/html; charset=utf-8')
  @Header('content-security-policy', ACCEPT_POLICY)
  @Documented({
    id: 'getAcceptPage',
    summary: 'Read the page to which the link of an invitation leads',
    description: 'It changes nothing: the person has to press its button, which accepts the invitation.',
    answer: {
      mediaType: 'text/html',
      description: 'The page.',
      headers: { 'content-security-policy': 'Lets the page send to this server only.' },
    },
    refuses: [],
  })
  page() {
    return ACCEPT_PAGE;
  }

  @Post('accept')
  @HttpCode(200)
  @Public()
  @Documented({
    id: 'acceptInvitation',
    summary: 'Accept an invitation',
    description:
      'Who sends the token becomes a member. The answer has a key of the member; it is shown this once. It never permits more than the member may, and ends with the membership. With `session` the answer sets the cookie of a session instead; the header `Origin` must then name the address of the server.',
    answer: AcceptedInvitation,
    refuses: [404, 409],
  })
  async accept(
    @Body() body: AcceptInvitationInput,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ) {
    if (body.session !== true) {
      const { member, secret } = valueOrThrow(await this.commands.execute(acceptInvitation(body)));
      return acceptedInvitation(member, secret);
    }
    requireOwnPage(request, this.options);
    const accepting = new AcceptWithSession(body.token, body.name ?? null);
    const { member, opened } = valueOrThrow(await this.commands.execute(accepting));
    await this.session.begin(reply, opened);
    return acceptedInvitation(member, null);
  }
}
