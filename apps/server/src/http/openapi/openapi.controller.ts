import { Controller, Get, Header, Param } from '@nestjs/common';
import { Public } from '../access/permission.ts';
import { ApiDocs } from './api-docs.ts';
import { Documented } from './documented.ts';

@Controller('v3')
export class OpenApiController {
  private readonly docs: ApiDocs;

  constructor(docs: ApiDocs) {
    this.docs = docs;
  }

  @Get('openapi')
  @Public()
  @Header('content-type', 'application/json; charset=utf-8')
  @Documented({
    summary: 'Read this description as an OpenAPI document',
    answer: { mediaType: 'application/json', description: 'This document.' },
    refuses: [],
  })
  document() {
    return this.docs.document();
  }

  @Get('docs')
  @Public()
  @Header('content-type', 'text/html; charset=utf-8')
  @Documented({
    summary: 'Read this description as a page',
    answer: { mediaType: 'text/html', description: 'The page.' },
    refuses: [],
  })
  page() {
    return this.docs.page();
  }

  @Get('docs/:asset')
  @Public()
  @Documented({
    summary: 'Read a file of that page',
    answer: { mediaType: '*/*', description: 'The file.' },
    refuses: [404],
  })
  asset(@Param('asset') name: string) {
    return this.docs.asset(name);
  }
}
