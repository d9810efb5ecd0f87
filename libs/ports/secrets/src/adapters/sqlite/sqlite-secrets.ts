import { existsSync } from 'node:fs';
import { RestartableThread, startThread } from '#platform/thread-calls';
import type { SecretName, SecretStore, StoredSecret } from '../../port.ts';
import type { SecretsApi } from './secrets.worker.ts';

/**
 * Secrets in one SQLite file, of one process, in a thread of its own that starts when it is needed. The file is made with the
 * first secret. What is replaced or removed is overwritten in the file, and within a second or so in its write-ahead log.
 */
export class SqliteSecrets implements SecretStore {
  readonly #path: string;
  readonly #thread: RestartableThread<SecretsApi>;

  constructor(path: string) {
    this.#path = path;
    this.#thread = new RestartableThread(() =>
      startThread(new URL('./secrets.worker.ts', import.meta.url), path, (remote) => remote.call('ready')),
    );
  }

  async read(name: SecretName): Promise<StoredSecret | null> {
    if (this.#isEmpty()) return null;
    return (await this.#thread.remote()).call('read', name);
  }

  async write(secret: StoredSecret): Promise<void> {
    await (await this.#thread.remote()).call('write', secret);
  }

  async replace(secret: StoredSecret, sealed: Uint8Array): Promise<boolean> {
    if (this.#isEmpty()) return false;
    return (await this.#thread.remote()).call('replace', secret, sealed);
  }

  async remove(name: SecretName): Promise<void> {
    if (!this.#isEmpty()) await (await this.#thread.remote()).call('remove', name);
  }

  async removeAll(organization: string): Promise<void> {
    if (!this.#isEmpty()) await (await this.#thread.remote()).call('removeAll', organization);
  }

  async list(organization: string | null): Promise<readonly StoredSecret[]> {
    if (this.#isEmpty()) return [];
    return (await this.#thread.remote()).call('list', organization);
  }

  close(): Promise<void> {
    return this.#thread.close((remote) => remote.call('close'));
  }

  #isEmpty(): boolean {
    return !existsSync(this.#path);
  }
}
