import { Controller, Get, Header, Param } from '@nestjs/common';
import { Public } from '../access/permission.ts';
import { ApiDocs } from './api-docs.ts';
import { Documented } from './documented.ts';
import { ASSET, OPENAPI, PAGE } from './response-schemas.ts';

@Controller('v3')
export class OpenApiController {
  private readonly docs: ApiDocs;

  constructor(docs: ApiDocs) {
    this.docs = docs;
  }

  @Get('openapi')
  @Public()
  @Documented({ summary: 'This description as an OpenAPI document', answer: OPENAPI, refuses: [] })
  document() {
    return this.docs.document();
  }

  @Get('docs')
  @Public()
  @Header('content-type', 'text/html; charset=utf-8')
  @Documented({ summary: 'This description as a page', answer: PAGE, refuses: [] })
  page() {
    return this.docs.page();
  }

  @Get('docs/:asset')
  @Public()
  @Documented({ summary: 'Files of that page', answer: ASSET, refuses: [404] })
  asset(@Param('asset') name: string) {
    return this.docs.asset(name);
  }
}
