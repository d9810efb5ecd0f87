import { chmod, readFile, rename, writeFile } from 'node:fs/promises';
import type { ApiKeys } from './port.ts';

/** How the owner comes to the key. */
export type OwnerKey =
  /** It was generated and has not been shown yet: by this start, or by an earlier one that failed. */
  | { readonly kind: 'new'; readonly secret: string; readonly file: string }
  /** It is in this file, which only its owner can read. */
  | { readonly kind: 'stored'; readonly file: string }
  /** It is the one of the settings. */
  | { readonly kind: 'configured' }
  /** Its file was removed. */
  | { readonly kind: 'removed' };

/** The file has another name until the key is shown, so that a start that fails does not hide the key of the next one. */
const unseen = (file: string): string => `${file}-new`;

/** Stores a generated key, readable by its owner only, until `keyShown` gives the file its name. */
export async function saveOwnerKey(file: string, secret: string): Promise<void> {
  await writeFile(unseen(file), `${secret}\n`, { mode: 0o600 });
  await chmod(unseen(file), 0o600);
}

/** Finds the stored key. Null: no file holds a key that is valid. */
export async function findOwnerKey(file: string, keys: ApiKeys): Promise<OwnerKey | null> {
  const secret = await validKey(unseen(file), keys);
  if (secret !== null) return { kind: 'new', secret, file };
  return (await validKey(file, keys)) === null ? null : { kind: 'stored', file };
}

/** Records that the owner is shown the key. */
export async function keyShown(key: OwnerKey): Promise<void> {
  if (key.kind === 'new') await rename(unseen(key.file), key.file);
}

async function validKey(file: string, keys: ApiKeys): Promise<string | null> {
  const secret = (await readFile(file, 'utf8').catch(() => '')).trim();
  return keys.authenticate(secret) === null ? null : secret;
}
