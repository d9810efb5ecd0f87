import type { Clock } from '#platform/kernel';
import type { NatsConnection } from '#platform/nats';
import { FixedMasterKeys, KeyFile, type MasterKeys, NoMasterKeys } from '#platform/sealing';
import { NatsSecrets, Secrets, SqliteSecrets } from '#ports/secrets';
import { dataFiles } from './data-files.ts';
import { type EngineSettings, keepsFolder, layoutOf } from './settings.ts';

const KEY_NEEDED =
  'Set MNEME_MASTER_KEY or MNEME_MASTER_KEY_FILE, the same for all processes: they share no data folder in which a key could be made.';

/** What seals secrets and backups: the keys of the settings, or a file in the data folder of a process that has one to itself. */
export function masterKeysOf(settings: EngineSettings): MasterKeys {
  return settings.masterKey == null
    ? (keyFileOf(settings) ?? new NoMasterKeys(KEY_NEEDED))
    : new FixedMasterKeys(settings.masterKey, 'MNEME_MASTER_KEY');
}

/** A start does not wait until a secret is needed. @throws KeyFileError, MasterKeyMissingError if the file cannot be used */
export async function checkMasterKeys(settings: EngineSettings): Promise<void> {
  if (settings.masterKey != null) return;
  const file = keyFileOf(settings);
  if (file === null || (await file.check()) || file.isGenerated) return;
  await file.newest();
}

/** What secrets are kept with: shared by the processes on one NATS, or of this one alone. Nothing exists before the first one. */
export function secretsOf(
  { settings, nats }: { readonly settings: EngineSettings; readonly nats: NatsConnection | null },
  keys: MasterKeys,
  clock: Clock,
): Secrets {
  if (nats === null) return new Secrets(new SqliteSecrets(dataFiles(settings.dataFolder).secrets), keys, clock);
  const options = { connection: nats, bucket: `${settings.prefix}-secrets`, ...layoutOf(settings, 'secrets') };
  return new Secrets(new NatsSecrets(options), keys, clock);
}

/** Null: the keys are in no file. */
function keyFileOf(settings: EngineSettings): KeyFile | null {
  const { masterKeyFile = null, dataFolder } = settings;
  if (masterKeyFile !== null) return new KeyFile({ path: masterKeyFile, isOwn: false });
  return keepsFolder(settings) ? new KeyFile({ path: dataFiles(dataFolder).masterKey, isOwn: true }) : null;
}
