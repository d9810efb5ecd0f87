import { SECRET_NAMES, type SecretName, type SettingsBucket } from '#features/settings';
import { IsAnyJson, IsChunkSize, IsFlag, IsProfileBuckets, IsText, Nullable, ShownBy } from '#platform/input';
import type { Json, Principal } from '#platform/kernel';
import { ChangeSettings } from './change-settings.command.ts';

/** Returned in place of a secret that is set. A PATCH with this value leaves the secret unchanged. */
export const SECRET_MASK = '********';

/** The settings to change. Every field is optional; null clears it. */
@ShownBy({
  'Smaller passages': { chunkSize: 200, workspacePrompt: 'Notes, chats and manuals of a team that makes a map app.' },
  'A filter for content': {
    shouldLLMFilter: true,
    filterPrompt: 'Leave out small talk.',
    excludeItems: ['advertising'],
  },
})
export class ChangeSettingsInput {
  /** Accepted without effect. */
  @Nullable()
  @IsFlag()
  shouldLLMFilter?: boolean | null;

  /** Accepted without effect. Needs shouldLLMFilter. */
  @Nullable()
  @IsText({ min: 1, max: 750 })
  filterPrompt?: string | null;

  /** Accepted without effect. Needs shouldLLMFilter. Any JSON of at most 16 KiB. */
  @Nullable()
  @IsAnyJson()
  includeItems?: Json;

  /** Accepted without effect. Needs shouldLLMFilter. Any JSON of at most 16 KiB. */
  @Nullable()
  @IsAnyJson()
  excludeItems?: Json;

  /** Maximum size of a chunk in estimated tokens, for content that is processed from now on. -1 or null: 250. */
  @Nullable()
  @IsChunkSize()
  chunkSize?: number | null;

  /** Accepted without effect. */
  @Nullable()
  @IsProfileBuckets()
  profileBuckets?: SettingsBucket[] | null;

  /** Accepted without effect. */
  @Nullable()
  @IsText({ max: 1500 })
  workspacePrompt?: string | null;

  /** Accepted without effect. */
  @Nullable()
  @IsText({ max: 500 })
  githubClientId?: string | null;

  /** Stored and never returned. */
  @Nullable()
  @IsText({ max: 4096 })
  githubClientSecret?: string | null;

  /** Accepted without effect. */
  @Nullable()
  @IsFlag()
  githubCustomKeyEnabled?: boolean | null;

  /** Accepted without effect. */
  @Nullable()
  @IsText({ max: 500 })
  googleDriveClientId?: string | null;

  /** Stored and never returned. */
  @Nullable()
  @IsText({ max: 4096 })
  googleDriveClientSecret?: string | null;

  /** Accepted without effect. */
  @Nullable()
  @IsFlag()
  googleDriveCustomKeyEnabled?: boolean | null;

  /** Accepted without effect. */
  @Nullable()
  @IsText({ max: 500 })
  notionClientId?: string | null;

  /** Stored and never returned. */
  @Nullable()
  @IsText({ max: 4096 })
  notionClientSecret?: string | null;

  /** Accepted without effect. */
  @Nullable()
  @IsFlag()
  notionCustomKeyEnabled?: boolean | null;

  /** Accepted without effect. */
  @Nullable()
  @IsText({ max: 500 })
  onedriveClientId?: string | null;

  /** Stored and never returned. */
  @Nullable()
  @IsText({ max: 4096 })
  onedriveClientSecret?: string | null;

  /** Accepted without effect. */
  @Nullable()
  @IsFlag()
  onedriveCustomKeyEnabled?: boolean | null;
}

export type SentSettings = Readonly<Partial<ChangeSettingsInput>>;

const isSecret = (name: string): name is SecretName => (SECRET_NAMES as readonly string[]).includes(name);

/** Returns the fields that were sent. */
export function sentSettings(body: ChangeSettingsInput): SentSettings {
  const { profileBuckets, ...rest } = body;
  const buckets = profileBuckets?.map(({ key, description }) => ({ key, description })) ?? profileBuckets;
  const fields = Object.entries({ ...rest, profileBuckets: buckets });
  return Object.fromEntries(fields.filter(([, value]) => value !== undefined));
}

export function changeSettings(principal: Principal, sent: SentSettings): ChangeSettings {
  const fields = Object.entries(sent);
  const changes = Object.fromEntries(fields.filter(([name]) => !isSecret(name)));
  const secrets = fields
    .filter(([name, value]) => isSecret(name) && value !== SECRET_MASK)
    .map(([name, value]) => [name, value === '' ? null : value]);
  return new ChangeSettings(principal, changes, Object.fromEntries(secrets));
}
