import { createReadStream } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { Inject, Injectable, StreamableFile } from '@nestjs/common';
import type { JsonObject } from '#kernel';
import { ApiError } from '../errors/api-error.ts';
import { HTTP_OPTIONS, type HttpOptions } from '../options.ts';
import { buildDocument } from './build-document.ts';
import { RouteCatalog } from './route-catalog.ts';

/** Files of the browsable page, and what each is; nothing else of its folder is served. */
const ASSETS: Readonly<Record<string, string>> = {
  'swagger-ui.css': 'text/css; charset=utf-8',
  'swagger-ui-bundle.js': 'text/javascript; charset=utf-8',
  'favicon-32x32.png': 'image/png',
};

/** The document and the page that shows it; made or looked for on the first request, so that a start costs nothing. */
@Injectable()
export class ApiDocs {
  private readonly catalog: RouteCatalog;
  private readonly options: HttpOptions;
  private built: JsonObject | null = null;
  private folder: string | null = null;

  constructor(catalog: RouteCatalog, @Inject(HTTP_OPTIONS) options: HttpOptions) {
    this.catalog = catalog;
    this.options = options;
  }

  document(): JsonObject {
    this.built ??= buildDocument(this.catalog.routes(), this.options);
    return this.built;
  }

  page(): string {
    return PAGE;
  }

  asset(name: string): StreamableFile {
    const type = Object.hasOwn(ASSETS, name) ? ASSETS[name] : undefined;
    if (type === undefined) throw new ApiError('not_found', 'The page has no such file');
    this.folder ??= swaggerUiFolder();
    return new StreamableFile(createReadStream(join(this.folder, name)), { type });
  }
}

/** Resolved, wherever npm put it, and not loaded. */
function swaggerUiFolder(): string {
  return dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'));
}

// Relative addresses keep the page working behind a proxy that adds a prefix.
const PAGE = `<!doctype html>
<html lang="en">
<head>
  <meta charset="utf-8">
  <meta name="viewport" content="width=device-width, initial-scale=1">
  <title>Mneme API</title>
  <link rel="icon" href="docs/favicon-32x32.png">
  <link rel="stylesheet" href="docs/swagger-ui.css">
</head>
<body>
  <div id="ui"></div>
  <script src="docs/swagger-ui-bundle.js"></script>
  <script>SwaggerUIBundle({ url: 'openapi', dom_id: '#ui', deepLinking: true });</script>
</body>
</html>
`;
