import { readEnvironment } from '#platform/config';
import { openGuardedFetch } from '#platform/fetch';
import { ok } from '#platform/kernel';
import type { Connector } from '../../connector.ts';
import type { ConnectorTools } from '../../tools.ts';
import { chooseEntry, entryOf } from '../chosen-entry.ts';
import { RcloneDaemon } from './daemon.ts';
import { hasRclone } from './program.ts';
import { RcloneSource } from './rclone-source.ts';
import { Remote } from './remote.ts';

/** Milliseconds. */
const INTERVAL_MS = 60 * 60_000;
/** A provider may take its time for a folder of many files. Milliseconds. */
const IDLE_MS = 5 * 60_000;

/** Folders of the remotes of rclone that the operator has named: Dropbox, OneDrive, SFTP, WebDAV and many more. */
export function rclone({ config }: ConnectorTools): Connector {
  const entries = config.rclone;
  const environment = readEnvironment();
  const daemon = new RcloneDaemon(environment);
  // To a process of our own, on loopback: neither rules nor proxy of the operator are for it.
  const fetchFrom = openGuardedFetch({ allow: [], loopback: true, proxy: null, idle: IDLE_MS });
  return {
    ...{ provider: 'rclone', hasStableIds: false, interval: INTERVAL_MS, isOfOperator: true },
    get missing() {
      if (entries.length === 0) return 'MNEME_RCLONE names no remote';
      return hasRclone(environment) ? null : 'rclone is not installed: its program is not in PATH';
    },
    readSetup: (metadata, organization) => {
      const chosen = chooseEntry(metadata, { entries, organization, field: 'remote' });
      return chosen.ok ? ok({ setup: chosen.value, secrets: {} }) : chosen;
    },
    open: async ({ organization, setup }) => {
      const { name: entry, remote: name, path: root } = entryOf(entries, organization, setup);
      let opened: { readonly url: string; readonly fetch: typeof globalThis.fetch } | null = null;
      const fetch = (url: string) => {
        if (opened?.url !== url) opened = { url, fetch: fetchFrom({ hosts: [new URL(url).host] }) };
        return opened.fetch;
      };
      const remote = new Remote({ entry, remote: name, address: () => daemon.address(), fetch });
      return new RcloneSource({ entry, remote, root, path: setup.path as string, close: daemon.use() });
    },
  };
}
