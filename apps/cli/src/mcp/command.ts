import { readFile } from 'node:fs/promises';
import type { Command } from 'commander';
import { ConfigError, readEnvironment } from '#platform/config';

interface McpOptions {
  readonly url: string;
  readonly keyFile?: string;
  readonly containerTag?: string;
}

const HEADER = /^[!-~]([ -~]*[!-~])?$/;

export function addMcp(program: Command): void {
  program
    .command('mcp')
    .description('serve the tools of a running server to a program that starts this command (MCP over stdio)')
    .option('--url <address>', 'address of the server', 'http://127.0.0.1:6767')
    .option('--key-file <path>', 'file with the key (default: the key in MNEME_API_KEY)')
    .option('--container-tag <tag>', 'tag of calls that name none')
    .action(async ({ url, keyFile, containerTag }: McpOptions) => {
      if (containerTag !== undefined && !HEADER.test(containerTag)) {
        throw new ConfigError('--container-tag must have visible ASCII characters alone: it is sent as a header');
      }
      const { Bridge } = await import('./bridge.ts');
      const bridge = new Bridge({
        ...{ url: toolsAt(url), key: await keyOf(keyFile), containerTag: containerTag ?? null },
        ...{ input: process.stdin, output: process.stdout },
      });
      await bridge.run();
    });
}

/** @throws ConfigError */
function toolsAt(address: string): string {
  const url = URL.parse(address);
  if (url === null || !/^https?:$/.test(url.protocol)) {
    throw new ConfigError(`--url must be an address like http://127.0.0.1:6767, not ${address}`);
  }
  return `${url.href.replace(/\/+$/, '').replace(/\/mcp$/, '')}/mcp`;
}

/** @throws ConfigError */
async function keyOf(file: string | undefined): Promise<string> {
  const key = file === undefined ? readEnvironment().MNEME_API_KEY : (await textOf(file)).trim();
  if (key && /^\S+$/.test(key)) return key;
  throw new ConfigError('There is no key: set MNEME_API_KEY, or name a file with it by --key-file');
}

const textOf = (file: string): Promise<string> =>
  readFile(file, 'utf8').catch((error: Error) => {
    throw new ConfigError(`The key cannot be read: ${error.message}`);
  });
