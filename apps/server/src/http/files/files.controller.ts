import { Readable } from 'node:stream';
import { Controller, Get, Header, Param, StreamableFile } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import { OpenFile } from '#documents/use-cases';
import { Public } from '../access/permission.ts';
import { accepted } from '../errors/refusals.ts';
import { Documented } from '../openapi/documented.ts';
import { attachment, mediaType } from './file-headers.ts';

@Controller('v3/files')
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
    summary: 'Download the file of a document, with the link of `file-url`',
    answer: { mediaType: '*/*', description: 'The file as it was uploaded.' },
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
