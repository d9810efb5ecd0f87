import { SECRET_NAMES } from '#features/settings';
import { type ResetTotals, SECRET_MASK, type SentSettings, type SettingsView } from '#features/settings/use-cases';
import { type Json, slugOf } from '#platform/kernel';
import type { TagBucket } from '../container-tags/container-tags.responses.ts';
import type { Count } from '../openapi/scalars.ts';

/** Answers about settings (contract §4.9). The classes are types only; none is instantiated. */

/** The settings of the organization. Null: not set. */
export class SettingsRecord {
  /** As it was set, or null. */
  readonly shouldLLMFilter!: boolean | null;
  /** As it was set, or null. */
  readonly filterPrompt!: string | null;
  /** As it was set, or null. */
  readonly includeItems!: Json;
  /** As it was set, or null. */
  readonly excludeItems!: Json;
  /** Maximum size of a passage in estimated tokens, or null for the default. */
  readonly chunkSize!: number | null;
  /** As it was set, or null. */
  readonly profileBuckets!: readonly TagBucket[] | null;
  /** As it was set, or null. */
  readonly workspacePrompt!: string | null;
  /** As it was set, or null. */
  readonly githubClientId!: string | null;
  /** A mask, if it is set. */
  readonly githubClientSecret!: string | null;
  /** As it was set, or null. */
  readonly githubCustomKeyEnabled!: boolean | null;
  /** As it was set, or null. */
  readonly googleDriveClientId!: string | null;
  /** A mask, if it is set. */
  readonly googleDriveClientSecret!: string | null;
  /** As it was set, or null. */
  readonly googleDriveCustomKeyEnabled!: boolean | null;
  /** As it was set, or null. */
  readonly notionClientId!: string | null;
  /** A mask, if it is set. */
  readonly notionClientSecret!: string | null;
  /** As it was set, or null. */
  readonly notionCustomKeyEnabled!: boolean | null;
  /** As it was set, or null. */
  readonly onedriveClientId!: string | null;
  /** A mask, if it is set. */
  readonly onedriveClientSecret!: string | null;
  /** As it was set, or null. */
  readonly onedriveCustomKeyEnabled!: boolean | null;
}

/** The settings that were changed. */
export class ChangedSettings {
  /** Id of the organization. */
  readonly orgId!: string;
  /** Name of the organization in lower case. */
  readonly orgSlug!: string;
  /** The fields that were sent. */
  readonly updated!: Readonly<Record<string, Json>>;
}

/** Suggestions for the groups of profiles. */
export class SuggestedBuckets {
  /** Usable as `profileBuckets`. */
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

/** What a reset erased. */
export class ResetReport {
  /** Always true. */
  readonly success!: boolean;
  /** Number of connections that end. */
  readonly deletedConnections!: Count;
  /** Number of batches in which documents were erased. */
  readonly deletedDocumentBatches!: Count;
  /** Number of erased documents. */
  readonly deletedDocumentsApprox!: Count;
  /** Number of their memories. */
  readonly deletedMemoryRows!: Count;
  /** Number of tags on which something was set. */
  readonly deletedExtraSpaces!: Count;
  /** Always true. */
  readonly clearedDefaultSpaceContext!: boolean;
  /** Always true. */
  readonly clearedBrainMemoryRegistry!: boolean;
  /** Always true. */
  readonly settingsReset!: boolean;
}

/** Documents are erased as one batch. */
export const resetReport = ({ connections, documents, memories, tags }: ResetTotals): ResetReport => ({
  ...{ success: true, deletedConnections: connections, deletedDocumentBatches: documents === 0 ? 0 : 1 },
  ...{ deletedDocumentsApprox: documents, deletedMemoryRows: memories, deletedExtraSpaces: tags },
  ...{ clearedDefaultSpaceContext: true, clearedBrainMemoryRegistry: true, settingsReset: true },
});
