import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runMneme } from '../support/command.ts';
import { Mneme } from '../support/mneme.ts';
import { unpack } from './archive.ts';
import type { Story } from './story.ts';

export const EMBEDDED_STATE = join(import.meta.dirname, 'embedded.zst');
export const EMBEDDED_ANSWERS = join(import.meta.dirname, 'embedded.answers.ndjson');

/** A copy of the data folder, and how a version works on it. */
export interface EmbeddedState extends Pick<Story, 'start' | 'cli'> {
  readonly folder: string;
  remove(): Promise<void>;
}

/** @param root checkout of the version that opens the state. Default: this one */
export async function openEmbeddedState(env: Readonly<Record<string, string>>, root?: string): Promise<EmbeddedState> {
  const folder = await mkdtemp(join(tmpdir(), 'mneme-upgrade-'));
  await unpack(EMBEDDED_STATE, folder);
  const servers: Mneme[] = [];
  return {
    folder,
    start: async () => {
      const server = await Mneme.start({ folder, env, ...(root && { root }) });
      servers.push(server);
      return server;
    },
    cli: (...args) => runMneme(args, { folder, env, ...(root && { root }) }),
    remove: async () => {
      for (const server of servers) await server.stop();
      await rm(folder, { recursive: true });
    },
  };
}
