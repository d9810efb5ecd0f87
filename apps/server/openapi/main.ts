import { writeFileSync } from 'node:fs';
import { findPackageJSON } from 'node:module';
import { dirname, join } from 'node:path';
import { buildDocument } from './build-document.ts';

const root = dirname(findPackageJSON(import.meta.url) as string);
const file = join(root, 'apps/server/openapi.json');
writeFileSync(file, `${JSON.stringify(await buildDocument(root), null, 2)}\n`);
console.log(`Wrote ${file}`);
