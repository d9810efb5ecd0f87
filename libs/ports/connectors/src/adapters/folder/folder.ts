import { ok } from '#platform/kernel';
import type { Connector } from '../../connector.ts';
import type { ConnectorTools } from '../../tools.ts';
import { chooseEntry, entryOf } from '../chosen-entry.ts';
import { FolderSource } from './folder-source.ts';

/** A scan decides; watching only hastens it. Milliseconds. */
const INTERVAL_MS = 10 * 60_000;

/** Folders of the machine of the server, below those that the operator has named. */
export function folder({ config, logger }: ConnectorTools): Connector {
  const { folders: entries } = config;
  return {
    ...{ provider: 'folder', hasStableIds: false, interval: INTERVAL_MS, isOfOperator: true },
    missing: missing(config),
    readSetup: (metadata, organization) => {
      const chosen = chooseEntry(metadata, { entries, organization, field: 'folder' });
      return chosen.ok ? ok({ setup: chosen.value, secrets: {} }) : chosen;
    },
    open: async ({ organization, setup }) => {
      const { name, path: entry } = entryOf(entries, organization, setup);
      return new FolderSource({ name, entry, path: setup.path as string, warn: (...line) => logger.warn(...line) });
    },
  };
}

function missing({ folders, eventStoreUrl, natsUrl }: ConnectorTools['config']): string | null {
  if (eventStoreUrl !== null || natsUrl !== null) {
    return 'folder is for embedded engines alone: with others, work is done by processes that need not have the folder';
  }
  return folders.length === 0 ? 'MNEME_FOLDERS names no folder' : null;
}
