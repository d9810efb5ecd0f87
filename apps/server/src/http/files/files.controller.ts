import { Readable } from 'node:stream';
import { Controller, Get, Header, Param, Req, Res, StreamableFile } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { OpenFile } from '#features/documents/use-cases';
import { Public } from '../access/permission.ts';
import { ApiError } from '../errors/api-error.ts';
import { valueOrThrow } from '../errors/refusals.ts';
import { Documented } from '../openapi/documented.ts';
import { InSection } from '../openapi/sections.ts';
import { byteRange } from './byte-range.ts';
import { attachment, mediaType } from './file-headers.ts';

@Controller('v3/files')
@InSection('Documents')
export class FilesController {
  constructor(private readonly queries: QueryBus) {}

  /** The signature in the token is the credential (contract A4). The headers keep a browser from running the file. */
  @Get(':token')
  @Public()
  @Header('x-content-type-options', 'nosniff')
  @Header('content-security-policy', 'sandbox')
  @Documented({
    id: 'getFile',
    summary: 'Download the file of a document',
    description:
      'The signature in the link is the credential. The file comes as an attachment, with the type that it ' +
      'was uploaded with.',
    path: { token: { description: 'The last part of the `url` of `GET /v3/documents/{id}/file-url`.' } },
    answer: {
      mediaType: '*/*',
      description: 'The file as it was uploaded.',
      headers: {
        'content-disposition': '`attachment`, with the name of the file.',
        'accept-ranges': '`bytes`: with the header `Range`, one range is answered with 206.',
        'content-length': 'Bytes.',
        'content-security-policy': '`sandbox`',
        'x-content-type-options': '`nosniff`',
      },
    },
    refuses: [404, 416],
  })
  file(
    @Param('token') token: string,
    @Req() { headers }: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ) {
    return this.queries.execute(new OpenFile(token)).then((opened) => {
      const { name, contentType, bytes, read } = valueOrThrow(opened);
      // Files have no validator with which If-Range could agree.
      const range = headers['if-range'] === undefined ? byteRange(headers.range, bytes) : null;
      if (range === 'unsatisfiable') {
        throw new ApiError('range_not_satisfiable', 'The file has no such bytes', 'Range', {
          'content-range': `bytes */${bytes}`,
        });
      }
      const { start, end } = range ?? { start: 0, end: bytes };
      reply.header('accept-ranges', 'bytes');
      if (range !== null) reply.status(206).header('content-range', `bytes ${start}-${end - 1}/${bytes}`);
      const sent = { type: mediaType(contentType), disposition: attachment(name), length: end - start };
      return new StreamableFile(Readable.from(read(start, end), { objectMode: false }), sent);
    });
  }
}
