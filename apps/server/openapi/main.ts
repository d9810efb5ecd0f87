import { writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { buildDocument } from './build-document.ts';

/** Of the sources. npm runs scripts in the folder of the project. */
const root = resolve();
const file = join(root, 'apps/server/openapi.json');
writeFileSync(file, `${JSON.stringify(await buildDocument(root), null, 2)}\n`);
console.log(`Wrote ${file}`);
