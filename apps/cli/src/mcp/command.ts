import type { Command } from 'commander';
import { ConfigError } from '#platform/config';
import { addressOf, keyOf, type ServedOptions, withServer } from '../served.ts';

interface McpOptions extends ServedOptions {
  readonly containerTag?: string;
}

const HEADER = /^[!-~]([ -~]*[!-~])?$/;

export function addMcp(program: Command): void {
  withServer(program.command('mcp'))
    .description('serve the tools of a running server to a program that starts this command (MCP over stdio)')
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

const toolsAt = (address: string): string => `${addressOf(address).replace(/\/mcp$/, '')}/mcp`;
