import { Body, Controller, Get, HttpCode, Post, Res } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import type { FastifyReply } from 'fastify';
import {
  AnswerChoices,
  AnswerChoicesInput,
  AnswerPermission,
  AnswerPermissionInput,
  ListChoicesInput,
  listChoices,
  ReadPermission,
  ReadPermissionInput,
} from '#features/connections/use-cases';
import { Public } from '../access/permission.ts';
import { valueOrThrow } from '../errors/refusals.ts';
import { Documented } from '../openapi/documented.ts';
import { InSection } from '../openapi/sections.ts';
import {
  AnsweredConnection,
  AskedConnection,
  askedConnection,
  PickedAnswer,
  PickerPage,
  pickerPage,
} from './connect.responses.ts';
import { CONNECT_PAGE, CONNECT_POLICY } from './connect-page.ts';
import { PICKER_PAGE, PICKER_POLICY } from './picker-page.ts';

const PAGE_HEADERS = {
  'content-security-policy': 'Lets the page send to this server only, and no page frame it.',
  'x-frame-options': 'No page can frame it.',
  'referrer-policy': 'No other server learns the address of the page.',
};

/**
 * The pages on which people confirm a connection and choose what it reads, and the requests of these pages. Each request
 * carries the link of its page, and no cookie counts, so that another site cannot make requests in the person's name.
 */
@Controller('connect')
@InSection('Sources')
export class ConnectController {
  constructor(
    private readonly commands: CommandBus,
    private readonly queries: QueryBus,
  ) {}

  @Get('confirm')
  @Public()
  @Documented({
    id: 'getConfirmationPage',
    summary: 'Read the page that asks a person about a connection',
    description:
      'Where the browser goes after a provider has permitted to read an account. What is asked stands behind "#" in the address, which browsers do not send. The page names the organization and the account, and stores nothing before the person agrees.',
    answer: { mediaType: 'text/html', description: 'The page.', headers: PAGE_HEADERS },
    refuses: [],
  })
  confirmation(@Res({ passthrough: true }) reply: FastifyReply): string {
    return pageOf(reply, CONNECT_PAGE, CONNECT_POLICY);
  }

  @Get('picker')
  @Public()
  @Documented({
    id: 'getPickerPage',
    summary: 'Read the page on which a person chooses what is read',
    description:
      'Of `POST /v3/connections/{id}/google-drive/hosted-picker`. With search, pages and folders, also by the keyboard alone.',
    answer: { mediaType: 'text/html', description: 'The page.', headers: PAGE_HEADERS },
    refuses: [],
  })
  picker(@Res({ passthrough: true }) reply: FastifyReply): string {
    return pageOf(reply, PICKER_PAGE, PICKER_POLICY);
  }

  @Post('request')
  @HttpCode(200)
  @Public()
  @Documented({
    id: 'getConnectionRequest',
    summary: 'Read what a person is asked about a connection',
    description: 'For the page, by what stands behind "#" in its address. It counts for ten minutes.',
    answer: AskedConnection,
    refuses: [],
  })
  async request(@Body() { request }: ReadPermissionInput): Promise<AskedConnection> {
    return askedConnection(valueOrThrow(await this.queries.execute(new ReadPermission(request))));
  }

  @Post('answer')
  @HttpCode(200)
  @Public()
  @Documented({
    id: 'answerConnectionRequest',
    summary: 'Store a connection, or give its permission back',
    description: 'For the page. It counts once.',
    answer: AnsweredConnection,
    refuses: [],
  })
  async answer(@Body() { request, allow }: AnswerPermissionInput): Promise<AnsweredConnection> {
    return { location: valueOrThrow(await this.commands.execute(new AnswerPermission(request, allow))) };
  }

  @Post('picker/list')
  @HttpCode(200)
  @Public()
  @Documented({
    id: 'listPickerResources',
    summary: 'List what can be chosen, for the picker',
    description: 'By what stands behind "#" in the address of the picker.',
    answer: PickerPage,
    refuses: [],
  })
  async list(@Body() input: ListChoicesInput): Promise<PickerPage> {
    return pickerPage(valueOrThrow(await this.queries.execute(listChoices(input))));
  }

  @Post('picker/selection')
  @HttpCode(200)
  @Public()
  @Documented({
    id: 'answerPicker',
    summary: 'Choose what a connection reads, for the picker',
    description: 'It replaces what was chosen before; what is chosen no longer is removed with the next sync.',
    answer: PickedAnswer,
    refuses: [],
  })
  async select(@Body() { link, ids }: AnswerChoicesInput): Promise<PickedAnswer> {
    return { location: valueOrThrow(await this.commands.execute(new AnswerChoices(link, ids))) };
  }
}

function pageOf(reply: FastifyReply, page: string, policy: string): string {
  reply.headers({
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': policy,
    'x-frame-options': 'DENY',
    'referrer-policy': 'no-referrer',
  });
  return page;
}
