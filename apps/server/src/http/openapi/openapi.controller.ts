import { Controller, Get, Header, Param } from '@nestjs/common';
import { Public } from '../access/permission.ts';
import { ApiDocs } from './api-docs.ts';
import { Documented } from './documented.ts';
import { PAGE, PAGE_POLICY } from './page.ts';
import { InSection } from './sections.ts';

@Controller()
@InSection('Server')
export class OpenApiController {
  constructor(private readonly docs: ApiDocs) {}

  @Get('v3/openapi')
  @Public()
  @Header('content-type', 'application/json; charset=utf-8')
  @Documented({
    id: 'getOpenApi',
    summary: 'Read this description as an OpenAPI document',
    description: 'The input of client generators.',
    answer: { mediaType: 'application/json', description: 'This document.' },
    refuses: [],
  })
  document() {
    return this.docs.document();
  }

  @Get('openapi.json')
  @Public()
  @Header('content-type', 'application/json; charset=utf-8')
  @Documented({
    id: 'getOpenApiFile',
    summary: 'Read this description as an OpenAPI document, by another path',
    description: 'As `GET /v3/openapi`. Here programs look that know only the address of a server.',
    answer: { mediaType: 'application/json', description: 'This document.' },
    refuses: [],
  })
  file() {
    return this.document();
  }

  @Get('v3/docs')
  @Public()
  @Header('content-type', 'text/html; charset=utf-8')
  @Header('content-security-policy', PAGE_POLICY)
  @Documented({
    id: 'getApiPage',
    summary: 'Read this description as a page',
    description: 'Lists the operations and sends requests from the browser. It loads nothing from other servers.',
    answer: {
      mediaType: 'text/html',
      description: 'The page.',
      headers: { 'content-security-policy': 'Lets the page load from and send to this server only.' },
    },
    refuses: [],
  })
  page() {
    return PAGE;
  }

  @Get('v3/docs/:asset')
  @Public()
  @Documented({
    id: 'getApiPageFile',
    summary: 'Read a file of that page',
    description: 'Style, scripts and icon.',
    path: { asset: { description: 'Name of the file.', example: 'swagger-ui.css' } },
    answer: { mediaType: '*/*', description: 'The file.' },
    refuses: [404],
  })
  asset(@Param('asset') name: string) {
    return this.docs.asset(name);
  }
}
