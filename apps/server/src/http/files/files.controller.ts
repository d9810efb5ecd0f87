import { Readable } from 'node:stream';
import { Controller, Get, Header, Param, StreamableFile } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import { OpenFile } from '#documents/use-cases';
import { Public } from '../access/permission.ts';
import { accepted } from '../errors/refusals.ts';
import { Documented } from '../openapi/documented.ts';
import { InSection } from '../openapi/sections.ts';
import { attachment, mediaType } from './file-headers.ts';

@Controller('v3/files')
@InSection('Documents')
export class FilesController {
  private readonly queries: QueryBus;

  constructor(queries: QueryBus) {
    this.queries = queries;
  }

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
        'content-length': 'Bytes.',
        'content-security-policy': '`sandbox`',
        'x-content-type-options': '`nosniff`',
      },
    },
    refuses: [404],
  })
  file(@Param('token') token: string) {
    return this.queries.execute(new OpenFile(token)).then((opened) => {
      const { name, contentType, bytes, content } = accepted(opened);
      const headers = { type: mediaType(contentType), disposition: attachment(name), length: bytes };
      return new StreamableFile(Readable.from(content, { objectMode: false }), headers);
    });
  }
}
