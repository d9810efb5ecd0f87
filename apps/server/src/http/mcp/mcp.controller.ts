import { Readable } from 'node:stream';
import type { ReadableStream } from 'node:stream/web';
import { Body, Controller, Inject, type OnModuleDestroy, Post, Req, Res } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { UploadLinks } from '#features/documents';
import { Team } from '#features/team';
import { IsContainerTag, readInput } from '#platform/input';
import type { Principal } from '#platform/kernel';
import type { McpEndpoint } from '../../mcp/endpoint.ts';
import { Requires } from '../access/permission.ts';
import { CurrentPrincipal } from '../access/principal.ts';
import { Documented } from '../openapi/documented.ts';
import { InSection } from '../openapi/sections.ts';
import { HTTP_OPTIONS, type HttpOptions } from '../options.ts';
import { publicUrl } from '../transport/public-url.ts';
import { SpeaksRpc } from './rpc.ts';
import { RpcMessage } from './rpc-message.input.ts';

class Project {
  @IsContainerTag()
  'x-sm-project'?: string;
}

/** The tool server of the Model Context Protocol; `apps/server/src/mcp` has its tools. */
@Controller('mcp')
@InSection('Tools')
export class McpController implements OnModuleDestroy {
  private endpoint: Promise<McpEndpoint> | null = null;

  constructor(
    @Inject(HTTP_OPTIONS) private readonly options: HttpOptions,
    private readonly commands: CommandBus,
    private readonly queries: QueryBus,
    private readonly team: Team,
    private readonly uploads: UploadLinks,
  ) {}

  @Post()
  @Requires('read')
  @SpeaksRpc()
  @Documented({
    id: 'callTools',
    summary: 'Send a message to the tool server',
    description:
      'The Model Context Protocol over Streamable HTTP, without sessions: of 2026-07-28, and of 2025 and before with ' +
      '`initialize`. Made for its clients, which list the tools themselves. The header `x-sm-project` names the tag that ' +
      'tools use if their argument `containerTag` names none. Errors are messages, too.',
    answer: { mediaType: 'application/json', description: 'The message that answers the request.' },
    refuses: [],
  })
  async answer(
    @CurrentPrincipal() principal: Principal,
    @Body() _checked: RpcMessage,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const { 'x-sm-project': project = null } = readInput(Project, request.headers, 'ignore');
    const caller = { principal, project, origin: publicUrl(request, this.options) };
    this.endpoint ??= this.open();
    const endpoint = await this.endpoint;
    request.countedAs = endpoint.countedAs(request.body);
    const answer = await endpoint.answer(webRequest(request, reply), request.body, caller);
    reply.code(answer.status);
    for (const [name, value] of answer.headers) reply.header(name, value);
    const isStream = answer.headers.get('content-type')?.startsWith('text/event-stream') === true;
    const body = isStream
      ? Readable.fromWeb(answer.body as ReadableStream)
      : answer.body && Buffer.from(await answer.arrayBuffer());
    await reply.send(body ?? undefined);
  }

  async onModuleDestroy(): Promise<void> {
    await (await this.endpoint)?.close();
  }

  /** The protocol is loaded with the first message. */
  private async open(): Promise<McpEndpoint> {
    const { McpEndpoint } = await import('../../mcp/endpoint.ts');
    const { commands, queries, team, uploads } = this;
    return new McpEndpoint(this.options.version, { commands, queries, team, uploads });
  }
}

/** Without a body, which has been read; it is aborted when the client leaves. */
function webRequest({ headers }: FastifyRequest, { raw }: FastifyReply): Request {
  const gone = new AbortController();
  raw.once('close', () => {
    if (!raw.writableFinished) gone.abort();
  });
  const own = Object.entries(headers).filter(([name, value]) => name.startsWith('mcp-') && typeof value === 'string');
  return new Request('http://localhost/mcp', {
    method: 'POST',
    headers: {
      ...(Object.fromEntries(own) as Record<string, string>),
      'content-type': 'application/json',
      // Answers are JSON, whether or not a client could also read streams.
      accept: 'application/json, text/event-stream',
    },
    signal: gone.signal,
  });
}
