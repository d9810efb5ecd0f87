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

/** The OpenAPI document that `npm run openapi` writes, and the files of the page that shows it; read on the first request. */
@Injectable()
export class ApiDocs {
  private text: string | null = null;
  private folder: string | null = null;

  document(): string {
    this.text ??= readFileSync(join(projectFolder(), 'apps/server/openapi.json'), 'utf8');
    return this.text;
  }

  asset(name: string): StreamableFile {
    const type = Object.hasOwn(ASSETS, name) ? ASSETS[name] : undefined;
    if (type === undefined) throw new ApiError('not_found', 'The page has no such file');
    this.folder ??= swaggerUiFolder();
    return new StreamableFile(createReadStream(join(this.folder, name)), { type });
  }
}

const projectFolder = (): string => dirname(findPackageJSON('.', import.meta.url) as string);

/** Returns the folder of the package without loading it. */
function swaggerUiFolder(): string {
  return dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'));
}
