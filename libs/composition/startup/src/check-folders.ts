import { statSync } from 'node:fs';
import { type Config, ConfigError } from '#platform/config';

/** @throws ConfigError for a folder of connections that is not there */
export function checkFolders({ folders }: Config): void {
  for (const { name, path } of folders) {
    const reason = reasonAgainst(path);
    if (reason !== null) throw new ConfigError(`MNEME_FOLDERS names ${path} as ${name}, which ${reason}.`);
  }
}

function reasonAgainst(path: string): string | null {
  try {
    return statSync(path).isDirectory() ? null : 'is no folder';
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return code === 'ENOENT' ? 'does not exist' : `cannot be read (${code})`;
  }
}
