import type { Json } from '#kernel';
import { SECRET_NAMES } from '#settings';
import type { SettingsView } from '#settings/use-cases';
import type { TagBucket } from '../container-tags/container-tags.responses.ts';
import { SECRET_MASK, type SentSettings } from './settings.dto.ts';

/** Answers about settings (contract §4.9). The classes are types only; none is instantiated. */

export class SettingsRecord {
  readonly shouldLLMFilter!: boolean | null;
  readonly filterPrompt!: string | null;
  readonly includeItems!: Json;
  readonly excludeItems!: Json;
  readonly chunkSize!: number | null;
  readonly profileBuckets!: readonly TagBucket[] | null;
  readonly workspacePrompt!: string | null;
  readonly githubClientId!: string | null;
  /** A mask, if it is set. */
  readonly githubClientSecret!: string | null;
  readonly githubCustomKeyEnabled!: boolean | null;
  readonly googleDriveClientId!: string | null;
  /** A mask, if it is set. */
  readonly googleDriveClientSecret!: string | null;
  readonly googleDriveCustomKeyEnabled!: boolean | null;
  readonly notionClientId!: string | null;
  /** A mask, if it is set. */
  readonly notionClientSecret!: string | null;
  readonly notionCustomKeyEnabled!: boolean | null;
  readonly onedriveClientId!: string | null;
  /** A mask, if it is set. */
  readonly onedriveClientSecret!: string | null;
  readonly onedriveCustomKeyEnabled!: boolean | null;
}

export class ChangedSettings {
  readonly orgId!: string;
  readonly orgSlug!: string;
  /** The fields that were sent. */
  readonly updated!: Readonly<Record<string, Json>>;
}

export class SuggestedBuckets {
  readonly suggestions!: readonly TagBucket[];
}

export function settingsRecord({ settings, secrets }: SettingsView): SettingsRecord {
  const masked = Object.fromEntries(SECRET_NAMES.map((name) => [name, secrets.includes(name) ? SECRET_MASK : null]));
  return { ...settings, ...masked } as SettingsRecord;
}

export const changedSettings = (organization: string, name: string, sent: SentSettings): ChangedSettings => {
  const masked = SECRET_NAMES.filter((secret) => sent[secret]).map((secret) => [secret, SECRET_MASK]);
  return { orgId: organization, orgSlug: slugOf(name), updated: { ...sent, ...Object.fromEntries(masked) } };
};

/** Returns a name in lower case, with a dash for everything but letters and digits. */
const slugOf = (name: string): string =>
  name
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, '-')
    .replaceAll(/^-|-$/g, '');
