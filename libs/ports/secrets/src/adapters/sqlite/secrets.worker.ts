/** Owns the connection, because a sync to the disk must not block the thread that serves requests. */
import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import { ErasingCommits, translatingCalls, translatingDamage } from '#platform/sqlite';
import { serve, serveError } from '#platform/thread-calls';
import type { SecretName, StoredSecret } from '../../port.ts';
import { BUSY_TIMEOUT, openSecretDatabase, type SecretTable, secretTable } from './schema.ts';

export interface SecretsApi {
  /** Resolves when the database is open. */
  ready(): void;
  read: SecretTable['read'];
  write(secret: StoredSecret): Promise<void>;
  replace(secret: StoredSecret, sealed: Uint8Array): Promise<boolean>;
  remove(name: SecretName): Promise<void>;
  removeAll(organization: string): Promise<void>;
  list: SecretTable['list'];
  close(): void;
}

/** Between a change and the truncation of the write-ahead log. Milliseconds. */
const TRUNCATE_DELAY = 1_000;

const port = parentPort as MessagePort;
const path = workerData as string;
const translate = translatingDamage(path, 'Remove it, and sign in again where a secret was stored.');

function serveSecrets(port: MessagePort, path: string): void {
  const db = openSecretDatabase(path);
  const table = secretTable(db);
  const commits = new ErasingCommits(db, path, { busyTimeout: BUSY_TIMEOUT, truncateDelay: TRUNCATE_DELAY });
  const api: SecretsApi = {
    ready: () => {},
    read: table.read,
    // Every write may have overwritten something.
    write: (secret) =>
      commits.erase(() => {
        table.write(secret);
        return true;
      }),
    async replace(secret, sealed) {
      let isReplaced = false;
      await commits.erase(() => {
        isReplaced = table.replace(secret, sealed);
        return isReplaced;
      });
      return isReplaced;
    },
    remove: (name) => commits.erase(() => table.remove(name)),
    removeAll: (organization) => commits.erase(() => table.removeAll(organization)),
    list: table.list,
    close: () => {
      commits.close();
      db.close();
    },
  };
  serve<SecretsApi>(port, translatingCalls(api, translate));
}

try {
  serveSecrets(port, path);
} catch (error) {
  serveError(port, translate(error));
}
