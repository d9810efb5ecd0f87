import { createReadStream, readFileSync } from 'node:fs';
import { createRequire, findPackageJSON } from 'node:module';
import { dirname, join } from 'node:path';
import { Injectable, StreamableFile } from '@nestjs/common';
import { ApiError } from '../errors/api-error.ts';

/** The files of the browsable page and their types; nothing else of their folder is served. */
const ASSETS: Readonly<Record<string, string>> = {
  'swagger-ui.css': 'text/css; charset=utf-8',
  'swagger-ui-bundle.js': 'text/javascript; charset=utf-8',
  'favicon-32x32.png': 'image/png',
};

/** The OpenAPI document that `npm run openapi` writes, and the page that shows it; read on the first request. */
@Injectable()
export class ApiDocs {
  private text: string | null = null;
  private folder: string | null = null;

  document(): string {
    this.text ??= readFileSync(join(projectFolder(), 'apps/server/openapi.json'), 'utf8');
    return this.text;
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

const projectFolder = (): string => dirname(findPackageJSON(import.meta.url) as string);

/** Returns the folder of the package without loading it. */
function swaggerUiFolder(): string {
  return dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'));
}

// Relative addresses work behind a proxy that adds a prefix.
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
