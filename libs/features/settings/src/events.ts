import type { EventCatalogue, EventOf, Json } from '#platform/kernel';

export interface SettingsBucket {
  readonly key: string;
  readonly description: string;
}

/** Only what changed is present; null: not set any more. `profileBucketsAdded`: the rest of a list too long for one event. */
export type SettingsChanged = EventOf<
  'SettingsChanged',
  {
    readonly shouldLLMFilter?: boolean | null;
    readonly filterPrompt?: string | null;
    readonly includeItems?: Json;
    readonly excludeItems?: Json;
    readonly chunkSize?: number | null;
    readonly profileBuckets?: readonly SettingsBucket[] | null;
    readonly profileBucketsAdded?: readonly SettingsBucket[];
    readonly workspacePrompt?: string | null;
    readonly githubClientId?: string | null;
    readonly githubCustomKeyEnabled?: boolean | null;
    readonly googleDriveClientId?: string | null;
    readonly googleDriveCustomKeyEnabled?: boolean | null;
    readonly notionClientId?: string | null;
    readonly notionCustomKeyEnabled?: boolean | null;
    readonly onedriveClientId?: string | null;
    readonly onedriveCustomKeyEnabled?: boolean | null;
  }
>;

/** All settings were reset. The last event of its stream, which it erases. */
export type SettingsReset = EventOf<'SettingsReset', null>;

export type SettingsEvent = SettingsChanged | SettingsReset;

export const SETTINGS_EVENTS: EventCatalogue<SettingsEvent> = {
  SettingsChanged: { version: 1, payload: true },
  SettingsReset: { version: 1, payload: false },
};

/** A secret, such as that of an OAuth client, has a value, which is kept beside the log. */
export type SecretSet = EventOf<'SecretSet', null>;

/** The secret was replaced or cleared. The last event of its stream, which it erases. */
export type SecretErased = EventOf<'SecretErased', null>;

export type SecretEvent = SecretSet | SecretErased;

export const SECRET_EVENTS: EventCatalogue<SecretEvent> = {
  SecretSet: { version: 1, payload: false },
  SecretErased: { version: 1, payload: false },
};
