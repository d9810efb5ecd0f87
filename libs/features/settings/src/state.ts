import type { Json } from '#platform/kernel';
import type { SettingsBucket } from './events.ts';

/** Settings of an organization. Null: not set. */
export interface Settings {
  readonly shouldLLMFilter: boolean | null;
  readonly filterPrompt: string | null;
  readonly includeItems: Json;
  readonly excludeItems: Json;
  /** Maximum size of a chunk, in estimated tokens; -1 or null: chosen by the server. */
  readonly chunkSize: number | null;
  readonly profileBuckets: readonly SettingsBucket[] | null;
  readonly workspacePrompt: string | null;
  readonly githubClientId: string | null;
  readonly githubCustomKeyEnabled: boolean | null;
  readonly googleDriveClientId: string | null;
  readonly googleDriveCustomKeyEnabled: boolean | null;
  readonly notionClientId: string | null;
  readonly notionCustomKeyEnabled: boolean | null;
  readonly onedriveClientId: string | null;
  readonly onedriveCustomKeyEnabled: boolean | null;
}

const NO_SETTINGS: Settings = {
  ...{ shouldLLMFilter: null, filterPrompt: null, includeItems: null, excludeItems: null, chunkSize: null },
  ...{ profileBuckets: null, workspacePrompt: null },
  ...{
    githubClientId: null,
    githubCustomKeyEnabled: null,
    googleDriveClientId: null,
    googleDriveCustomKeyEnabled: null,
  },
  ...{ notionClientId: null, notionCustomKeyEnabled: null, onedriveClientId: null, onedriveCustomKeyEnabled: null },
};

export interface SettingsState {
  readonly wasReset: boolean;
  readonly settings: Settings;
}

export const initialSettings: SettingsState = { wasReset: false, settings: NO_SETTINGS };

/** Version of the shape of the state; snapshots of other versions are ignored. */
export const SETTINGS_VERSION = 1;

/** Their values are kept beside the log; the log says which are set. */
export const SECRET_NAMES = [
  'githubClientSecret',
  'googleDriveClientSecret',
  'notionClientSecret',
  'onedriveClientSecret',
] as const;

export type SecretName = (typeof SECRET_NAMES)[number];

export interface SecretState {
  readonly status: 'unset' | 'set' | 'erased';
}

export const initialSecret: SecretState = { status: 'unset' };
