import { readFileSync } from 'node:fs';
import { findPackageJSON } from 'node:module';

/** Returns the version in package.json. */
export function readVersion(): string {
  const file = findPackageJSON('.', import.meta.url) as string;
  return (JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version;
}
